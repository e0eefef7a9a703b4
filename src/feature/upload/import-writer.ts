// Writes the drafts of an import in the serving process as if a client of the organization sent them: within the memory
// for bodies and the rate limit of the organization. While the process is under pressure, they wait.

import { setTimeout as sleep } from "node:timers/promises";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { currentTimeOf } from "../../actions/app.ts";
import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { writeDrafts } from "../../actions/intake/write-drafts.ts";
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
  const confidential = confidentialTypes(organization.confidentialTypes);
  const isConfidential = confidential.has(type.resourceType);
  const keySpace = keySpaceOf({ organizationId, confidential }, type);
  /** A separate thread has read and validated the rows; its time does not count. */
  const pay = async (work: Omit<Work, "processorMs">, stopping: AbortSignal): Promise<void> => {
    const tokens = tokensOf({ ...work, processorMs: 0 });
    const limited = context.rates.work({ organizationId, rateLimitPerSecond }, tokens);
    if (limited.allowed || stopping.aborted) return;
    const waitMs = limited.retryAfterSeconds * 1_000;
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  };
  const writeOnce: WriteImport = async ({ write, key }, stopping) => {
    const { drafts } = write;
    const items = countDraftRows(drafts);
    const bytes = drafts.reduce((sum, { payload }) => sum + payload.length, 0);
    load.shedding.admitBody(bytes);
    load.organizations.beginRequest(organizationId);
    try {
      const reservation = await load.bodies.reserve(organizationId, bytes, stopping);
      try {
        const received = { ...write, receivedAt: currentTimeOf(app) };
        const outcome = await writeDrafts(app, received, { keySpace, key });
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
        // The organization was closed, which this says.
        if (isRevoked(error)) await findOpenOrganization(app, organizationId);
        if (delayMs === undefined || performance.now() > giveUpAt) throw error;
        await sleep(delayMs, undefined, { signal: stopping });
      }
    }
  };
}

function isRevoked(error: unknown): boolean {
  return error instanceof AppError && error.errorName === "credential_revoked";
}

function delayOf(error: unknown): number | undefined {
  if (!(error instanceof AppError)) return undefined;
  const isPassing = ["unavailable", "rate_limited", "idempotency_in_flight"].includes(
    error.errorName,
  );
  return isPassing ? (error.retryAfterSeconds ?? 0) * 1_000 || retryMs : undefined;
}
