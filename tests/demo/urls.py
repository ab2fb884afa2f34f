"""The addresses of a dashboard that is a demo."""

from lendingadmin import urls
from lendingadmin.demo import urls as demo_urls

handler403, handler500 = urls.handler403, urls.handler500
urlpatterns = [*urls.urlpatterns, *demo_urls.urlpatterns]
