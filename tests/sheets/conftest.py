"""The service that sheets are collected for."""

from tests.sheets.service import VisitService

make_service = VisitService
