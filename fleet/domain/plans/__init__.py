"""What an action would do, decided before anything is written: facts + a person's choice -> plan.

Everything here is a pure function of facts; codes with parameters come out, never sentences.
"""
