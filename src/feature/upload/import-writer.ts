// Writes the drafts of an import in the serving process as if a client of the organization sent them: within the memory
// for bodies and the rate limit of the organization. While the process is under pressure, they wait.

import { setTimeout as sleep } from "node:timers/promises";
import { writeImported } from "../import/imports.ts";
import type { WriteImport } from "./run-in-thread.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import type { Organization } from "../../domain/access.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { countDraftRows } from "../../domain/record/draft-rows.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { tokensOf, type Work } from "../../http/load/work-tokens.ts";

const failingMsMax = 120_000;
const retryMs = 1_000;

/** Returns a function that throws AppError, and OperatorError organization_closed. */
export function makeImportWriter(
  context: HttpContext,
  target: { readonly organization: Organization; readonly type: RecordType },
): WriteImport {
  const { app, load } = context;
  const { organization, type } = target;
  const { organizationId, rateLimitPerSecond } = organization;
  const isConfidential = confidentialTypes(organization.confidentialTypes).has(type.resourceType);
  /** A separate thread has read and validated the rows; its time does not count. */
  const pay = async (work: Omit<Work, "processorMs">, stopping: AbortSignal): Promise<void> => {
    const tokens = tokensOf({ ...work, processorMs: 0 });
    const limited = context.rates.work({ organizationId, rateLimitPerSecond }, tokens);
    if (limited.allowed || stopping.aborted) return;
    const waitMs = limited.retryAfterSeconds * 1_000;
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  };
  const writeOnce: WriteImport = async (order, stopping) => {
    const { drafts } = order.write;
    const items = countDraftRows(drafts);
    const bytes = drafts.reduce((sum, { payload }) => sum + payload.length, 0);
    load.shedding.admitBody(bytes);
    load.organizations.beginRequest(organizationId);
    try {
      const reservation = await load.bodies.reserve(organizationId, bytes, stopping);
      try {
        const outcome = await writeImported(app, target, order);
        await pay({ items, bytes }, stopping);
        const isCounted = outcome.repeated !== true && !isConfidential;
        if (isCounted) context.onRecordsWritten(type.resourceType, outcome.written);
        return outcome;
      } finally {
        reservation.release();
      }
    } finally {
      load.organizations.endRequest(organizationId);
    }
  };
  return async (order, stopping) => {
    const giveUpAt = performance.now() + failingMsMax;
    for (;;) {
      try {
        return await writeOnce(order, stopping);
      } catch (error) {
        const delayMs = delayOf(error);
        if (delayMs === undefined || performance.now() > giveUpAt) throw error;
        await sleep(delayMs, undefined, { signal: stopping });
      }
    }
  };
}

function delayOf(error: unknown): number | undefined {
  if (!(error instanceof AppError)) return undefined;
  const isPassing = ["unavailable", "rate_limited", "idempotency_in_flight"].includes(
    error.errorName,
  );
  return isPassing ? (error.retryAfterSeconds ?? 0) * 1_000 || retryMs : undefined;
}
