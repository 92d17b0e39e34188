from django.http import HttpRequest, HttpResponse


def clusters(request: HttpRequest) -> HttpResponse:
    return HttpResponse("soon")
