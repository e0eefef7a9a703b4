// Writes the lists of an import in the serving process as if a client of the organization sent them: in the bulk
// thread, within the memory for bodies and the rate limit of the organization. While the process is under pressure, the
// lists wait.

import { setTimeout as sleep } from "node:timers/promises";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { contextOf, keyHashOf, keySpaceOf } from "../../actions/intake/idempotency.ts";
import { importMode } from "../../actions/intake/import-records.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import type { Organization } from "../../domain/access.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { UploadList } from "../../bulk/upload/messages.ts";
import type { WriteList } from "../../bulk/upload/upload-thread.ts";
import type { ListReport } from "../../http/bulk/messages.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { tokensOf, type Work } from "../../http/load/work-tokens.ts";
import type { Operation } from "../../http/operation.ts";
import { operations } from "../../http/routes.ts";

/** How long an import waits for a service that accepts nothing. */
const failingMsMax = 120_000;
const retryMs = 1_000;

interface ImportInto {
  readonly organization: Organization;
  readonly type: RecordType;
}

export function makeImportWriter(context: HttpContext, target: ImportInto): WriteList {
  const writer = new ImportWriter(context, target);
  return (list, stopping) => writer.write(list, stopping);
}

class ImportWriter {
  readonly #context: HttpContext;
  readonly #type: RecordType;
  readonly #caller: {
    readonly organizationId: string;
    readonly rateLimitPerSecond: number | undefined;
    readonly confidential: ReturnType<typeof confidentialTypes>;
  };

  constructor(context: HttpContext, { organization, type }: ImportInto) {
    this.#context = context;
    this.#type = type;
    const { organizationId, rateLimitPerSecond } = organization;
    const confidential = confidentialTypes(organization.confidentialTypes);
    this.#caller = { organizationId, rateLimitPerSecond, confidential };
  }

  /** Throws AppError, and OperatorError organization_closed. An idempotency key makes repetitions safe. */
  async write(list: UploadList, stopping: AbortSignal): ReturnType<WriteList> {
    const { app } = this.#context;
    const { organizationId } = this.#caller;
    const giveUpAt = performance.now() + failingMsMax;
    for (;;) {
      try {
        const { results = "[]" } = await this.#writeOnce(list, stopping);
        return JSON.parse(results) as Awaited<ReturnType<WriteList>>;
      } catch (error) {
        if (isRevoked(error)) await findOpenOrganization(app, organizationId);
        const delayMs = delayOf(error);
        if (delayMs === undefined || performance.now() > giveUpAt) throw error;
        await sleep(delayMs, undefined, { signal: stopping });
      }
    }
  }

  async #writeOnce(list: UploadList, stopping: AbortSignal): Promise<ListReport> {
    const { load, app, bulk } = this.#context;
    const { organizationId } = this.#caller;
    // The body has memory of its own, which is transferred to the bulk thread.
    const body = new TextEncoder().encode(`[${list.texts.join(",")}]`);
    load.shedding.admitBody(body.length);
    load.organizations.beginRequest(organizationId);
    try {
      const reservation = await load.bodies.reserve(organizationId, body.length, stopping);
      try {
        const order = this.#makeOrder(list);
        const { keyHash } = order.idempotency;
        const outcome = await app.inFlight.run(keyHash, () =>
          bulk.writeList(order, body, stopping),
        );
        await this.#pay(outcome.work, stopping);
        if ("error" in outcome) throw outcome.error;
        this.#count(outcome.report);
        return outcome.report;
      } finally {
        reservation.release();
      }
    } finally {
      load.organizations.endRequest(organizationId);
    }
  }

  #makeOrder({ update, key }: UploadList) {
    const { name } = findOperation(this.#type, update);
    const identity = { idempotencyKey: key, operation: name, writeOptions: "lenient" };
    const keyHash = keyHashOf(keySpaceOf(this.#caller, this.#type), key);
    return {
      operation: name,
      mode: importMode(this.#type, update),
      organizationId: this.#caller.organizationId,
      receivedAt: this.#context.app.now(),
      lenient: true,
      idempotency: { keyHash, context: contextOf(identity) },
    };
  }

  async #pay(work: Work, stopping: AbortSignal): Promise<void> {
    const limited = await this.#context.rates.work(this.#caller, tokensOf(work));
    if (limited.allowed || stopping.aborted) return;
    const waitMs = limited.retryAfterSeconds * 1_000;
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  }

  #count({ repeated, written }: ListReport): void {
    const { resourceType } = this.#type;
    if (repeated || this.#caller.confidential.has(resourceType)) return;
    this.#context.onRecordsWritten(resourceType, written);
  }
}

/** True for the error of a write after its organization was closed. */
function isRevoked(error: unknown): boolean {
  return error instanceof AppError && error.errorName === "credential_revoked";
}

/** Undefined for an error for which a retry is useless. */
function delayOf(error: unknown): number | undefined {
  if (!(error instanceof AppError)) return undefined;
  const isPassing = ["unavailable", "rate_limited", "idempotency_in_flight"].includes(
    error.errorName,
  );
  return isPassing ? (error.retryAfterSeconds ?? 0) * 1_000 || retryMs : undefined;
}

/** The operation that accepts lists of the type. */
function findOperation({ resourceType, batchPath }: RecordType, update: boolean): Operation {
  const path = `/v2/${batchPath ?? resourceType}`;
  const method = update ? "PUT" : "POST";
  const found = operations.find((one) => one.path === path && one.method === method);
  if (found === undefined) throw new TypeError(`no operation accepts lists of ${resourceType}`);
  return found;
}
