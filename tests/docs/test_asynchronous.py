"""The asynchronous form of methods."""

from __future__ import annotations

import ast

from docs.asynchronous import transformed


def asynchronous(source: str) -> str:
    """The class in *source* in its asynchronous form."""
    [class_] = ast.parse(source).body
    assert isinstance(class_, ast.ClassDef)
    return ast.unparse(ast.fix_missing_locations(transformed(class_)))


def test_a_request_is_awaited() -> None:
    """Also within an expression; other calls are not."""
    made = asynchronous(
        "class Handle:\n"
        "    def parked(self):\n"
        "        return list(self._client.requests(parked=1)['requests'])\n"
    )

    assert made == (
        "class AsyncHandle:\n\n"
        "    async def parked(self):\n"
        "        return list((await self._client.requests(parked=1))['requests'])"
    )


def test_a_property_that_makes_a_request_is_a_coroutine() -> None:
    """Directly or through another property; other properties are not."""
    made = asynchronous(
        "class Handle:\n"
        "    @property\n"
        "    def admin(self):\n"
        "        return self._client.url\n"
        "    @property\n"
        "    def nodes(self):\n"
        "        return self.cluster()['nodes']\n"
        "    @property\n"
        "    def bootstrap(self):\n"
        "        return self.nodes[0]\n"
    )

    assert "@property\n    def admin" in made
    assert "    async def nodes(self):\n        return (await self.cluster())['nodes']" in made
    assert "    async def bootstrap(self):\n        return (await self.nodes())[0]" in made
    assert made.count("@property") == 1


def test_a_context_manager_is_asynchronous() -> None:
    """What it does at the end is shielded from cancellation."""
    made = asynchronous(
        "class BrokerClock:\n"
        "    @contextmanager\n"
        "    def frozen(self) -> Iterator[None]:\n"
        "        try:\n"
        "            yield\n"
        "        finally:\n"
        "            self.run()\n"
        "    def stand(self):\n"
        "        with self.frozen():\n"
        "            pass\n"
    )

    assert "@asynccontextmanager\n    async def frozen(self) -> AsyncIterator[None]" in made
    assert "with move_on_after(CLEANUP_TIMEOUT_S, shield=True):\n" in made
    assert "async with self.frozen():" in made


def test_a_method_that_passes_its_client_runs_in_a_thread() -> None:
    """With a blocking client; a class that has an asynchronous form gets the client itself."""
    made = asynchronous(
        "class Handle:\n"
        "    def report(self, since_us, *, long=False):\n"
        "        'Describe the state.'\n"
        "        return cluster_report(self._client, since_us, long)\n"
        "    @property\n"
        "    def clock(self):\n"
        "        return BrokerClock(self._client)\n"
    )

    call = "in_thread(partial(Handle(self._client.blocking()).report, since_us, long=long))"
    assert "    async def report(self, since_us, *, long=False):\n" in made
    assert f"return await {call}" in made
    assert "return AsyncBrokerClock(self._client)" in made
