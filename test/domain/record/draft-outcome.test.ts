// The evaluation of a draft: the whole table, what is looked up for it, and properties that hold
// for any list of outcomes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  countWritten,
  decideOutcome,
  isListRefused,
  isRefused,
} from "../../../src/domain/record/draft-outcome.ts";
import type { DraftOutcome, WriteMode } from "../../../src/domain/record/record-write.ts";

const modes: readonly WriteMode[] = ["add", "append", "update"];

interface Known {
  readonly closed: boolean;
  readonly exists: boolean;
  readonly identical: boolean;
}

const anyKnown = fc.record({
  closed: fc.boolean(),
  exists: fc.boolean(),
  identical: fc.boolean(),
});
const anyMode = fc.constantFrom(...modes);

/** The outcome, and which facts were looked up for it, in order. */
function decide(mode: WriteMode, known: Known) {
  const asked: string[] = [];
  const answer = (name: keyof Known) => () => {
    asked.push(name);
    return known[name];
  };
  const outcome = decideOutcome(mode, {
    isClosed: answer("closed"),
    exists: answer("exists"),
    hasIdentical: answer("identical"),
  });
  return { outcome, asked };
}

describe("the outcome of a draft", () => {
  const open = { closed: false, exists: true, identical: false };
  const table: readonly (readonly [WriteMode, Known, DraftOutcome])[] = [
    ["add", { ...open, exists: false }, "created"],
    ["append", { ...open, exists: false }, "created"],
    ["update", { ...open, exists: false }, "no_such_record"],
    ["add", open, "record_exists"],
    ["append", open, "updated"],
    ["update", open, "updated"],
    ["add", { ...open, identical: true }, "identical_record_exists"],
    ["append", { ...open, identical: true }, "unchanged"],
    ["update", { ...open, identical: true }, "updated"],
  ];
  for (const [mode, known, outcome] of table) {
    const { exists, identical } = known;
    const record = exists ? `a record ${identical ? "with" : "without"} its payload` : "no record";
    it(`is ${outcome} for ${mode} where there is ${record}`, () => {
      assert.equal(decide(mode, known).outcome, outcome);
    });
  }

  it("is deletion_open for a closed record, whatever else is true, and nothing else is looked up", () => {
    fc.assert(
      fc.property(anyMode, anyKnown, (mode, known) => {
        const { outcome, asked } = decide(mode, { ...known, closed: true });
        assert.equal(outcome, "deletion_open");
        assert.deepEqual(asked, ["closed"]);
      }),
    );
  });

  it("requires each fact at most once, and payloads only where a record exists and they matter", () => {
    fc.assert(
      fc.property(anyMode, anyKnown, (mode, known) => {
        const { asked } = decide(mode, known);
        assert.equal(new Set(asked).size, asked.length);
        const compares = !known.closed && known.exists && mode !== "update";
        assert.equal(asked.includes("identical"), compares);
      }),
    );
  });
});

describe("a list of outcomes", () => {
  const anyOutcomes = fc.array(
    fc.constantFrom<DraftOutcome>(
      "created",
      "updated",
      "unchanged",
      "identical_record_exists",
      "record_exists",
      "no_such_record",
      "deletion_open",
    ),
    { maxLength: 8 },
  );

  it("is stored item by item where it is lenient", () => {
    fc.assert(
      fc.property(anyOutcomes, (outcomes) => {
        assert.ok(!isListRefused(outcomes, { lenient: true }));
        const rest = outcomes.filter((outcome) => outcome === "unchanged" || isRefused(outcome));
        assert.equal(countWritten(outcomes, { lenient: true }), outcomes.length - rest.length);
      }),
    );
  });

  it("is stored whole or not at all where it is strict", () => {
    fc.assert(
      fc.property(anyOutcomes, (outcomes) => {
        const isSound = outcomes.every((outcome) =>
          ["created", "updated", "unchanged"].includes(outcome),
        );
        assert.equal(isListRefused(outcomes, { lenient: false }), !isSound);
        const changes = isSound ? outcomes.filter((outcome) => outcome !== "unchanged").length : 0;
        assert.equal(countWritten(outcomes, { lenient: false }), changes);
      }),
    );
  });
});
