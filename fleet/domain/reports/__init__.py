"""Facts of a week -> the weekly report as a value. Pure: the clock is an argument.

week -> which seven days     tally -> starts counted, model by model     sight -> hours blind
facts -> all that is kept of a week     report -> what one reader sees of it     shape -> JSON
"""
