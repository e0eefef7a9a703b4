// The day on which a request of a person came: the time to answer it follows from it, so a day that there is not, or
// that is in the future, is refused.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { dateOf, dayMs } from "../../../src/basics/duration.ts";
import { usePersons } from "../../console/persons.ts";

describe("the day of an access request", () => {
  const { scene, person, post } = usePersons();
  const ask = (received: string) =>
    post("/console/access", { type: "person", id: "p", received }, "officer");
  const inDays = (days: number) => dateOf(scene.service.clock.now() + days * dayMs);

  before(() => person("p", { name: "Ada Example" }));

  it("must be a day of the calendar", async () => {
    for (const received of ["2026-02-31", "2025-02-29", "2026-00-10", "+12026-01-01", "now"]) {
      const { status, text } = await ask(received);
      assert.equal(status, 400, received);
      assert.match(text, /The day of the request: it must be a date such as 2026-01-31/);
    }
  });

  it("is tomorrow at the latest, for places where that day has begun", async () => {
    assert.equal((await ask(inDays(1))).status, 200);
    for (const received of [inDays(2), "9999-12-31"]) {
      const { status, text } = await ask(received);
      assert.equal(status, 400, received);
      assert.match(text, /The day of the request must not be in the future/);
    }
  });
});
