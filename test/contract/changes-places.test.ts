// Live requests for changes in a process that has all of them that it can have.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createKey } from "../../src/actions/access/keys.ts";
import { limits } from "../../src/domain/limits.ts";
import { fetchToken } from "../support/customer.ts";
import type { RawConnection } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";
import { eventsIn, openStream } from "./changes-stream.ts";
import { idOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { service } = scene;
const transaction = typeNamed("transaction");
after(() => scene.stop());

describe("a process with all live requests", () => {
  it("gives the place of one request to an organization that has none", async () => {
    const { changeReadersMax, organizationChangeReadersMax, keyChangeReadersMax } = limits;
    const count = changeReadersMax / organizationChangeReadersMax;
    const all: RawConnection[] = [];
    for (let number = 0; number < count; number += 1) {
      const first = await scene.makeCustomer();
      const { organizationId } = first;
      const key = await createKey(service.app, { organizationId, scopes: ["changes:read"] });
      const holder = { organizationId, apiKey: key.secret };
      const scopes = ["changes:read"];
      const token = await fetchToken(service.client, holder, { scopes });
      for (const customer of [first, { ...first, token }]) {
        for (let place = 0; place < keyChangeReadersMax; place += 1) {
          all.push(openStream(service.address, customer, "offset=now&live=sse"));
        }
      }
      const wanted = all.length;
      await waitFor("all to wait", () => service.readers() === wanted || undefined);
    }
    const other = await scene.makeCustomer();
    const raw = openStream(service.address, other, "offset=now&live=sse");
    await waitFor("its part", () => eventsIn(raw).controls.length > 0 || undefined);
    await Promise.race(all.map(({ closed }) => closed));
    const ended = all.filter((one) => one.received().endsWith("\r\n0\r\n\r\n"));
    assert.equal(ended.length, 1);
    assert.equal(service.readers(), changeReadersMax);
    const record = scene.records.record(transaction);
    await scene.ask(other, { method: "POST", path: "/v2/transaction", body: record });
    await waitFor("its event", () => eventsIn(raw).subjects.length > 0 || undefined);
    assert.deepEqual(eventsIn(raw).subjects, [idOf(transaction, record)]);
    for (const one of [raw, ...all]) one.socket.destroy();
    await waitFor("all to leave", () => service.readers() === 0 || undefined);
  });
});
