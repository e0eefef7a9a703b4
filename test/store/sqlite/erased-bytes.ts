// Data that is erased, with a text that is found in the files of a store as long as any of its bytes is.

import type { Draft } from "../../../src/domain/record/record-write.ts";
import { draftOf, mark } from "../../conformance/scene.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import type { TestStore } from "../../support/test-store.ts";
import type { Place } from "./place.ts";

/** Found in any data that contains part of an erased record. */
export const secret = "top-secret-";
export const act = { actor: "test", now: 1_000 };

function screening(index: number, random: Random): Draft {
  const goes = index % 5 === 0;
  const text = `${goes ? secret : "harmless-"}${index}`;
  return draftOf("screening", `${text}-id`, {
    outcome_details: text.repeat(random.integer(1, 40)),
    ...(goes ? { related_person_id: "p" } : {}),
    timestamp: new Date(Date.UTC(2026, 0, 1) + random.integer(0, 1e9)).toISOString(),
  });
}

/**
 * A person with many screenings among those of others, in lists, with later changes, so that pages
 * split and fill.
 */
export async function fill(store: TestStore): Promise<void> {
  const random = makeRandom(7);
  const resourceType = "screening";
  await store.write(draftOf("person", "p", { name: `${secret}person` }), {
    resourceType: "person",
    idempotency: mark(`${secret}key`),
  });
  for (let from = 0; from < 2_500; from += 50) {
    const list = Array.from({ length: 50 }, (_, index) => screening(from + index, random));
    await store.write(list, { resourceType });
    const changed = Array.from({ length: 15 }, () =>
      screening(random.integer(0, from + 49), random),
    );
    await store.write(changed, { resourceType, mode: "update", lenient: true });
  }
}

/** Where the text is found: the name of the file and how often. */
export function findText(place: Place, text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, bytes] of place.readFiles()) {
    const times = bytes.toString("latin1").split(text).length - 1;
    if (times > 0) found[name] = times;
  }
  return found;
}
