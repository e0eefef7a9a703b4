// The plan of an erasure: what it cascades to, in which order, and which references it redacts. The fields that name
// persons and companies, and the pseudonyms that replace their ids.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasureInParts,
  withoutReferences,
} from "../../../src/domain/deletion/erasure.ts";
import type { RelationKind } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import {
  isPartyType,
  isPseudonym,
  partiesOf,
  pseudonymFrom,
  withParties,
} from "../../../src/domain/deletion/party.ts";
import { makeDraft } from "../../../src/domain/record/payload.ts";
import { newPseudonym } from "../../../src/store/sql/erase/pseudonym.ts";
import { advance, beginning } from "../../../src/store/sql/erase/redact-long.ts";
import { typeNamed } from "../../conformance/scene.ts";

function planErasure(root: NodeKey, edges: readonly Edge[]): ErasurePlan {
  const parts = planErasureInParts(root, edges);
  let part = parts.next();
  while (part.done !== true) part = parts.next();
  return part.value;
}

describe("a plan of an erasure", () => {
  it("terminates on a cyclic graph, where a record may also belong to itself", () => {
    const circle = ["a/1 root/r", "a/1 a/1", "b/1 root/r", "b/1 b/2", "b/2 b/1", "root/r a/1"];
    const edges = circle.map((names): Edge => {
      const [from, to] = names.split(" ") as [NodeKey, NodeKey];
      return { from, to, kind: "belongs" };
    });
    const { erase, redact } = planErasure("root/r", edges);
    assert.deepEqual(erase, ["a/1", "root/r"]);
    assert.deepEqual(redact, [{ record: "b/1", reference: "root/r" }]);
  });

  it("is made in one pass for a hundred thousand records, side by side or in a chain", () => {
    const many = 100_000;
    const star: Edge[] = [];
    const chain: Edge[] = [];
    for (let index = 0; index < many; index += 1) {
      const from = nodeKey("check", `${index}`);
      star.push({ from, to: nodeKey("transaction", "t"), kind: "belongs" });
      const to = index === 0 ? nodeKey("transaction", "t") : nodeKey("check", `${index - 1}`);
      chain.push({ from, to, kind: "belongs" });
    }
    for (const edges of [star, chain.toReversed()]) {
      const { erase } = planErasure(nodeKey("transaction", "t"), edges);
      assert.equal(erase.length, many + 1);
      assert.equal(erase.at(-1), "transaction/t");
    }
  });
});

const anyRelation = fc.constantFrom(
  ...recordTypes.flatMap(({ resourceType, relations }) =>
    relations.map(({ to, kind }) => ({ from: resourceType, to, kind })),
  ),
);

// Mostly one, so that what belongs to a record often belongs only to that record.
const anyNumber = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.nat(4));

/**
 * Records of the real types that refer to each other as their types allow, some to records that
 * never arrived.
 */
const anyGraph: fc.Arbitrary<readonly Edge[]> = fc.array(
  fc.tuple(anyRelation, anyNumber, anyNumber).map(([{ from, to, kind }, one, other]) => ({
    from: nodeKey(from, `${one}`),
    to: nodeKey(to, `${other}`),
    kind,
  })),
  { maxLength: 40 },
);

const anyRoot = fc
  .constantFrom("transaction", "person", "company", "transaction_check")
  .map((type) => nodeKey(type, "1"));

interface NaivePlan {
  readonly erased: ReadonlySet<NodeKey>;
  readonly redacted: ReadonlySet<string>;
}

/** The rule as it is written, applied to every record until nothing changes. */
function naivePlan(root: NodeKey, edges: readonly Edge[]): NaivePlan {
  const erased = new Set([root]);
  const targets = (from: NodeKey, kind: RelationKind) =>
    edges.filter((edge) => edge.from === from && edge.kind === kind).map((edge) => edge.to);
  let before: number;
  do {
    before = erased.size;
    for (const { from } of edges) {
      const holders = targets(from, "belongs");
      if (holders.length > 0 && holders.every((holder) => erased.has(holder))) erased.add(from);
    }
  } while (erased.size > before);
  const cut = edges.filter(({ from, to }) => erased.has(to) && !erased.has(from));
  return { erased, redacted: new Set(cut.map(({ from, to }) => `${from} ${to}`)) };
}

describe("the plan for any graph of the real types", () => {
  it("follows the rule", () => {
    let cascades = 0;
    fc.assert(
      fc.property(anyGraph, anyRoot, (edges, root) => {
        const { erase, redact } = planErasure(root, edges);
        const { erased, redacted } = naivePlan(root, edges);
        assert.deepEqual(erase.toSorted(), [...erased].toSorted());
        assert.deepEqual(
          redact.map(({ record, reference }) => `${record} ${reference}`).sort(),
          [...redacted].toSorted(),
        );
        if (erase.length > 2) cascades += 1;
      }),
      { numRuns: 1000 },
    );
    assert.ok(cascades > 50, `${cascades} graphs had a cascade`);
  });

  it("erases each record after everything that belongs to it, the root last", () => {
    fc.assert(
      fc.property(anyGraph, anyRoot, (edges, root) => {
        const { erase } = planErasure(root, edges);
        assert.equal(erase.at(-1), root);
        for (const { from, to, kind } of edges) {
          if (kind !== "belongs" || from === root || !erase.includes(from)) continue;
          assert.ok(erase.indexOf(from) < erase.indexOf(to), `${from} before ${to}`);
        }
      }),
    );
  });

  it("needs only the edges around what reaches the root", () => {
    fc.assert(
      fc.property(anyGraph, anyRoot, (edges, root) => {
        const reaching = new Set([root]);
        for (const key of reaching) {
          for (const { from, to, kind } of edges) {
            if (to === key && kind === "belongs") reaching.add(from);
          }
        }
        const around = edges.filter(({ from, to }) => reaching.has(from) || reaching.has(to));
        assert.deepEqual(planErasure(root, around), planErasure(root, edges));
      }),
    );
  });
});

describe("a node key", () => {
  it("splits into the type and id that it was made of", () => {
    for (const id of ["1", "a/b", "/", "ünï 😀"]) {
      assert.deepEqual(parseNodeKey(nodeKey("person", id)), { type: "person", id });
    }
  });
});

const erasedTransactions = (to: string, id: string) =>
  to === "transaction" && id.startsWith("gone");

describe("a payload without references", () => {
  it("has erased ids removed from its lists, and keeps the others in order", () => {
    const check = typeNamed("transaction_check");
    const payload = { ...check.example, related_tx_ids: ["b", "gone", "a", "gone-too", "gone"] };
    assert.deepEqual(withoutReferences(check, payload, erasedTransactions), {
      ...payload,
      related_tx_ids: ["b", "a"],
    });
  });

  it("lacks a field that contained one erased id", () => {
    const screening = typeNamed("screening");
    const { related_person_id: _person, ...about } = screening.example;
    const payload = { ...about, related_tx_id: "gone" };
    assert.deepEqual(withoutReferences(screening, payload, erasedTransactions), about);
  });

  it("keeps references to other types, other ids, nulls, and fields that only look alike", () => {
    const screening = typeNamed("screening");
    const payload = {
      ...screening.example,
      related_tx_id: null,
      related_person_id: "gone",
      outcome_details: "gone",
    };
    assert.deepEqual(withoutReferences(screening, payload, erasedTransactions), payload);
  });

  it("does not modify the payload that it was made from", () => {
    const check = typeNamed("transaction_check");
    const payload = Object.freeze({ ...check.example, related_tx_ids: Object.freeze(["gone"]) });
    const left = withoutReferences(check, payload, erasedTransactions);
    assert.deepEqual([left["related_tx_ids"], payload.related_tx_ids], [[], ["gone"]]);
  });
});

const transaction = typeNamed("transaction");

function text(sender_id: string, receiver_id?: string): string {
  return JSON.stringify({ sender_id, ...(receiver_id === undefined ? {} : { receiver_id }) });
}

describe("the fields with an id", () => {
  it("are the record's own id, a relation, or a party", () => {
    for (const type of recordTypes) {
      const known = new Set([
        type.idField,
        ...type.relations.map(({ field }) => field),
        ...type.partyFields,
      ]);
      const ids = type.fieldNames.filter((name) => /_ids?$/.test(name) && name !== "report_id");
      for (const name of ids) assert.ok(known.has(name), `${type.resourceType}.${name}`);
    }
    // The id of a report at an authority names no record here.
    assert.ok(recordTypes.some(({ fieldNames }) => fieldNames.includes("report_id")));
  });

  it("of parties are those of transactions, and name persons and companies", () => {
    const naming = recordTypes.filter(({ partyFields }) => partyFields.length > 0);
    assert.deepEqual(
      naming.map(({ resourceType, partyFields }) => [resourceType, partyFields]),
      [["transaction", ["sender_id", "receiver_id"]]],
    );
    const parties = recordTypes.map(({ resourceType }) => resourceType).filter(isPartyType);
    assert.deepEqual(parties, ["person", "company"]);
    assert.equal(isPartyType("organization"), false);
  });
});

describe("a pseudonym", () => {
  it("has 128 random bits, and is a valid id", () => {
    const made = new Set(Array.from({ length: 1_000 }, newPseudonym));
    assert.equal(made.size, 1_000);
    // Each bit is set in about half of them: within six standard deviations.
    const counts = Array.from({ length: 128 }, () => 0);
    for (const pseudonym of made) {
      assert.ok(isPseudonym(pseudonym));
      const bits = BigInt(`0x${pseudonym.slice("erased_".length)}`);
      for (const bit of counts.keys()) {
        if ((bits >> BigInt(bit)) & 1n) counts[bit] = (counts[bit] ?? 0) + 1;
      }
    }
    for (const count of counts) assert.ok(Math.abs(count - 500) < 95, String(count));
    const [sender_id] = made;
    const payload = { ...transaction.example, sender_id };
    assert.ok(makeDraft(transaction, payload, "add").payload.includes(String(sender_id)));
  });

  it("is not mistaken for an id that only resembles one", () => {
    const hex = "0123456789abcdef0123456789abcdef";
    assert.ok(isPseudonym(pseudonymFrom(hex)));
    for (const id of [hex, `erased_${hex}0`, `erased_${hex.toUpperCase()}`, "erased_", 7, null]) {
      assert.equal(isPseudonym(id), false, String(id));
    }
    assert.throws(() => pseudonymFrom("0"), TypeError);
  });

  it("replaces an id wherever it is a party, and nothing else", () => {
    const payload = { tx_id: "p", sender_id: "p", receiver_id: "q", method: "p" };
    const replaced = withParties(transaction, payload, (id) => (id === "p" ? "x" : undefined));
    assert.deepEqual(replaced, { ...payload, sender_id: "x" });
    assert.deepEqual(partiesOf(transaction, payload), ["p", "q"]);
    assert.deepEqual(partiesOf(transaction, { sender_id: "p", receiver_id: "p" }), ["p"]);
    assert.deepEqual(partiesOf(transaction, { sender_id: null }), []);
  });
});

describe("a rewritten transaction", () => {
  const one = newPseudonym();

  it("is counted once, when the pseudonym is first in it", () => {
    const evaluate = (before: string[], after: string[]) => {
      const key = { organization_id: "o", resource_type: "transaction", resource_id: "t" };
      const changes = before.map((payload, at) => {
        return { ...key, change_no: at + 1, reply_key: null, payload, after: after[at] ?? "" };
      });
      return advance(beginning, changes, one).pseudonym;
    };
    assert.equal(evaluate([text("p")], [text(one)]), "added");
    assert.equal(evaluate([text(one), text("p")], [text(one), text(one)]), "known");
    assert.equal(evaluate([text("q")], [text("q")]), "absent");
  });
});
