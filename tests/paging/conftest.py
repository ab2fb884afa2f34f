from tests.paging.service import PagedService

ROLE = "manager"
make_service = PagedService
