// Spans of the worker: a trace for each attempt at a deletion, with a span for each step.

import { type Attributes, type Span, SpanKind } from "@opentelemetry/api";
import type { ResourceType } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import type { Store } from "../../store/interface/store.ts";
import type { Completion, SealReceipt } from "../../store/interface/deletion.ts";
import { failureType, type Tracer } from "./tracer.ts";

type Steps = Pick<Store, "claimDeletions" | "eraseStep" | "completeDeletions" | "postponeDeletion">;

/**
 * How many attempts in progress are remembered, far more than a worker has. An attempt that did not end in time has no
 * span.
 */
const attemptsMax = 1_000;

interface Attempt {
  readonly span: Span;
  readonly attributes: Attributes;
  /** When its receipt was signed; until then it was being verified. */
  sealed: { readonly startMs: number; readonly endMs: number } | undefined;
}

export class DeletionTracing {
  readonly #tracer: Tracer;
  readonly #attempts = new Map<string, Attempt>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  wrap(store: Store): Steps {
    return {
      claimDeletions: async (claim, deletionsMax) => {
        const startMs = this.#tracer.now();
        const claimed = await store.claimDeletions(claim, deletionsMax);
        for (const { deletionRequestId: id, resourceType, attempts, restrictedOf } of claimed) {
          // Readers of traces may not learn that anything is restricted.
          if (restrictedOf !== undefined) continue;
          const attributes = {
            "db.system.name": store.traits.systemName,
            ...typeOf(resourceType),
            "sluice.deletion.attempt": attempts,
          };
          this.#begin(id, startMs, attributes);
        }
        return claimed;
      },
      eraseStep: (ids, recordsMax, act) =>
        this.#step(ids, "erase", () => store.eraseStep(ids, recordsMax, act)),
      completeDeletions: async (ids, act) => {
        const startMs = this.#tracer.now();
        const completions = await store.completeDeletions(ids, act);
        for (const [index, id] of ids.entries()) {
          const completion = completions[index];
          if (completion !== undefined) this.#verified(id, startMs, completion);
        }
        return completions;
      },
      postponeDeletion: async (id, why, nextAttemptAt) => {
        this.#end(id, { "error.type": "postponed" });
        await store.postponeDeletion(id, why, nextAttemptAt);
      },
    };
  }

  wrapSeal(seal: SealReceipt): SealReceipt {
    return (deletion, context) => {
      const startMs = this.#tracer.now();
      const sealed = seal(deletion, context);
      const attempt = this.#attempts.get(deletion.deletionRequestId);
      if (attempt !== undefined) attempt.sealed = { startMs, endMs: this.#tracer.now() };
      return sealed;
    };
  }

  /** Claiming includes the plan, which is stored in the same transaction. */
  #begin(id: string, startMs: number, attributes: Attributes): void {
    const kind = SpanKind.INTERNAL;
    const span = this.#tracer.startRoot({ name: "process deletion", kind, startMs });
    if (span === undefined) return;
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size >= attemptsMax && oldest !== undefined) this.#attempts.delete(oldest);
    this.#attempts.set(id, { span, attributes, sealed: undefined });
    this.#add(span, "claim and plan", { startMs, endMs: this.#tracer.now() });
  }

  async #step<Result>(
    ids: readonly string[],
    name: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const attempts = ids.flatMap((id) => this.#attempts.get(id) ?? []);
    const startMs = this.#tracer.now();
    const end = (attributes: Attributes) => {
      const endMs = this.#tracer.now();
      for (const { span } of attempts) this.#add(span, name, { startMs, endMs }, attributes);
    };
    try {
      const result = await work();
      end({});
      return result;
    } catch (error) {
      end({ "error.type": failureType(error) });
      throw error;
    }
  }

  /** `verify` until the receipt is signed; `complete` is the transaction that verifies once more and writes both. */
  #verified(id: string, startMs: number, completion: Completion): void {
    const attempt = this.#attempts.get(id);
    if (attempt === undefined) return;
    const { span, sealed } = attempt;
    const endMs = this.#tracer.now();
    const failure: Attributes =
      completion.result === "failed" ? { "error.type": failureType(completion.cause) } : {};
    if (sealed === undefined) return this.#add(span, "verify", { startMs, endMs }, failure);
    attempt.sealed = undefined;
    this.#add(span, "verify", { startMs, endMs: sealed.startMs });
    this.#add(span, "receipt", sealed);
    this.#add(span, "complete", { startMs: sealed.endMs, endMs }, failure);
    if (completion.result === "completed") this.#end(id, {});
  }

  #add(
    span: Span,
    name: string,
    times: { readonly startMs: number; readonly endMs: number },
    attributes: Attributes = {},
  ): void {
    this.#tracer.addChild(span, { name, ...times, attributes });
  }

  #end(id: string, outcome: Attributes): void {
    const attempt = this.#attempts.get(id);
    if (attempt === undefined) return;
    this.#attempts.delete(id);
    const attributes = { ...attempt.attributes, ...outcome };
    this.#tracer.end(attempt.span, { endMs: this.#tracer.now(), attributes });
  }
}

/** A trace does not disclose that there was a record of a confidential type. */
function typeOf(resourceType: ResourceType): Attributes {
  const isHidden = recordTypeByName(resourceType)?.confidential === true;
  return isHidden ? {} : { "sluice.deletion.resource_type": resourceType };
}
