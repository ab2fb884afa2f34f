"""Registers what is found out about started assessments, and their list with Django."""

from django.apps import AppConfig


class AssessmentsConfig(AppConfig):
    """The app `assessments`; it stores nothing."""

    name = "lendingadmin.assessments"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.lending.values import text
        from lendingadmin.ui import neighbours

        from . import outcomes

        outcomes.register_checkers()
        neighbours.register_list(
            "assessments",
            neighbours.find_in_list(
                "assessments.list",
                lambda app_id: gateway.app(app_id).assessments,
                ["assessmentId", "uid"],
                lambda assessment: text(assessment.assessment_id) or text(assessment.uid),
            ),
        )
