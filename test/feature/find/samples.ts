// What shared tests have to know about finding persons.

import assert from "node:assert/strict";
import { findSubjects } from "../../../src/feature/find/find-subjects.ts";
import { persons } from "../../../src/feature/find/store/part.ts";
import { keyOf } from "../../conformance/scene.ts";
import type { Samples } from "../sample.ts";
import { testSearching } from "./store/searching.ts";

const search = { organizationId: "none", reason: "r", wanted: { name: "Ada" } };

export const samples: Samples = {
  withoutRight: { "find/find-subjects findDescribed": "checks a part of the rights inside" },
  store: {
    derive: async (store) => {
      const indexed = keyOf("company", "indexed");
      await store.add("company", indexed.resourceId);
      const [change] = await store.of(persons).readChanges([indexed], 1);
      const token = { hash: Buffer.alloc(16), field: "legal_name", former: false };
      const record = { ...indexed, changeNo: change?.changeNo ?? 0, tokens: [token] };
      await store.of(persons).store([record], { keyCheck: 0 });
      await store.add("company", "due");
    },
    use: async (store) => {
      await store.of(persons).begin(0);
      await store.of(persons).listDue({ after: 0, through: 9, settled: 9, limit: 64 });
    },
    numbers: { "the mark of the index": "UPDATE search_index SET indexed_no = 50" },
    reset: "UPDATE search_index SET key_check = 0, indexed_no = 0",
    plans: { "change_no <= $2 AND NOT": "change_searched" },
  },
  conformance: [testSearching],
  rights: { "subject.find": (app) => findSubjects(app, search) },
  requirePersons: async (line, ids) => {
    const words = ["--reason", "inquiry", "--name", "Ada Example", "--organization", "acme"];
    const found = await line.ask("subject find", ...words);
    const subjects = found["subjects"] as readonly { readonly resource_id: string }[];
    assert.deepEqual(subjects.map(({ resource_id }) => resource_id).toSorted(), ids.toSorted());
    assert.equal(found["incomplete"], null);
  },
};
