"""What our account may do: SelfSubjectAccessReviews, answered by every API server."""

from dataclasses import dataclass

import msgspec

from fleet.adapters.kubernetes.client import Client, decoded

PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """One verb on one resource. namespace: "" = in all of them."""

    verb: str
    group: str
    resource: str
    subresource: str = ""
    namespace: str = ""

    @property
    def name(self) -> str:
        """As people write it: "pods/log", "revisions.serving.knative.dev"."""
        whole = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f"{whole}.{self.group}" if self.group else whole


class ReviewStatus(msgspec.Struct):
    """SubjectAccessReviewStatus."""

    allowed: bool = False


class Review(msgspec.Struct):
    """The answer: 201 for yes and for no alike."""

    status: ReviewStatus


_review = msgspec.json.Decoder(Review)


def may(client: Client, right: Right) -> bool:
    """Whether the API server would let us; raises fleet.errors when it does not say."""
    asked = {
        "verb": right.verb,
        "group": right.group,
        "resource": right.resource,
        "subresource": right.subresource,
        "namespace": right.namespace,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {k: v for k, v in asked.items() if v}},
    }
    answer: Review = decoded(f"POST {PATH}", client.post(PATH, body), _review)
    return answer.status.allowed
