"""The page of the sandbox's OpenAPI document works without any other host."""

from playwright.sync_api import Browser, expect

from tests.browser import chromium
from tests.browser.conftest import Console
from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess


def test_the_page_shows_every_operation_and_tries_one(
    sandbox: SandboxProcess, browser: Browser, console: Console
) -> None:
    token = str(Caller(sandbox, "page").session.headers["Authorization"]).removeprefix("Bearer ")
    session = chromium.sit_down(browser, sandbox.base_url)
    page = session.new_page()
    console.listen(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/docs")
    expect(page.locator(".opblock")).to_have_count(23)
    page.click(".btn.authorize")
    page.locator(".auth-container", has_text="bearer").locator("input").fill(token)
    page.locator(".auth-container", has_text="bearer").locator("button.authorize").click()
    page.click(".btn-done")
    kinds = page.locator(".opblock", has_text="/v1/assessmentTypes")
    kinds.click()
    kinds.locator("button.try-out__btn").click()
    kinds.locator("button.execute").click()
    expect(kinds.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert asked
    assert all(url.startswith((sandbox.base_url, "data:")) for url in asked), asked
    session.close()
