// `sluice deletion hold`, `holds` and `release`: the commands about legal holds.

import { showing } from "../../actions/operator/viewer.ts";
import {
  holdRecord,
  listHolds,
  releaseHold,
  requireListable,
} from "../../actions/retention/holds.ts";
import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import { holdWarningDays, holdYearsMax } from "../../domain/retention/hold-end.ts";
import {
  defineCommand,
  defineStoreCommand,
  flag,
  optional,
  required,
  withDefault,
} from "../command.ts";
import {
  confidentialOptions,
  day,
  lineOfText,
  reason,
  recordType,
  text,
  wholeNumber,
} from "../input/kinds.ts";
import type { Target } from "../../actions/record/find-named-record.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { listedHolds, nameHeld } from "../../noun/hold.ts";

const targetArguments = {
  what: required(
    { ...recordType, placeholder: "TYPE|DELETION_REQUEST_ID" },
    "Type of the record, followed by its id; or the id of a deletion request for the record.",
  ),
  id: optional(text("ID"), "Id of the record."),
};

const targetOptions = {
  organization: optional(text("ID"), "Organization of the record; required with TYPE ID."),
};

function readTarget(values: {
  what: string;
  id: string | undefined;
  organization: string | undefined;
}): Target {
  const { what, id, organization } = values;
  if (id === undefined) {
    if (what.startsWith("del_")) return { deletionRequestId: what };
    throw new UsageError(
      `"${what}" is not the id of a deletion request; name a record as TYPE ID --organization ORG.`,
    );
  }
  if (organization === undefined) {
    throw new UsageError("A record named by type and id needs --organization ORG.");
  }
  return { organizationId: organization, resourceType: what, resourceId: id };
}

function describeEnd({ endsOn }: Hold): string {
  return endsOn === undefined
    ? "It lasts until it is released."
    : `It ends by itself after ${endsOn}, unless it is released before.`;
}

export const deletionHold = defineCommand({
  name: "deletion hold",
  summary:
    "Put a record under a legal hold: no deletion erases or changes it until the hold is released.",
  details:
    "A record may have several holds, and is kept until all of them are released or have ended. With --until, the hold ends " +
    `by itself after that day in UTC, ${holdYearsMax} years ahead at most. Prints the id of the hold, which ` +
    "`sluice deletion release` takes.",
  examples: [
    'sluice deletion hold transaction tx-2026-000417 --organization acme --reason "court order 12/2026" --owner legal --review-date 2026-12-31',
    'sluice deletion hold person p-71 --organization acme --reason "request of the FIU 12/2026" --until 2028-06-30',
    'sluice deletion hold del_4fQ2mN8sT1vXc7Za --reason "court order 12/2026"',
  ],
  rights: ["hold.place"],
  arguments: targetArguments,
  options: {
    ...targetOptions,
    reason: required(reason, "The reason; operators see it, the organization does not."),
    owner: optional(lineOfText("NAME"), "Who is responsible, such as a person or a department."),
    reviewDate: optional(
      day,
      "The day to decide whether the hold is still needed; see `deletion holds --overdue`.",
    ),
    until: optional(
      day,
      "The last day of the hold, which then ends by itself; otherwise only a release ends it.",
    ),
    restricted: optional(
      text("DELETION_REQUEST_ID"),
      "For a record in the restricted store: the deletion request that moved it there.",
    ),
  },
  run: (context, { reason: why, owner, reviewDate, until, restricted, ...values }) => {
    const target = readTarget(values);
    return context.withApp(async (app) => {
      const wanted = {
        reason: why,
        owner,
        reviewOn: reviewDate,
        endsOn: until,
        restrictedBy: restricted,
      };
      const hold = await holdRecord(app, target, wanted);
      return {
        json: listedHolds.json(hold),
        text: `${nameHeld(hold)} is held: ${hold.reason}\nThe hold is ${hold.holdId}. ${describeEnd(hold)}`,
      };
    });
  },
});

export const deletionHolds = defineStoreCommand({
  name: "deletion holds",
  summary: "List legal holds with their records, reasons, owners, review dates and ends.",
  details:
    "Holds on records of confidential types and in the restricted store are listed only with --include-confidential. Of a record " +
    "in the restricted store, the deletion that moved it there is named.",
  examples: ["sluice deletion holds --organization acme", "sluice deletion holds --overdue"],
  rights: ["hold.read"],
  options: {
    organization: optional(text("ID"), "Only holds of this organization."),
    type: optional(recordType, "Only holds on records of this type, such as transaction."),
    overdue: flag("Only holds whose review date has passed."),
    ending: flag(`Only holds that end by themselves within ${holdWarningDays} days.`),
    limit: withDefault(
      wholeNumber("N", 1, limits.holdsListedAtOnce),
      "Maximum number to list.",
      String(limits.holdsListedAtOnce),
    ),
    after: optional(text("HOLD_ID"), "Continue after this hold, in the order of ids."),
    ...confidentialOptions,
  },
  restoring: true,
  run: async (
    opened,
    { organization, type, overdue, ending, limit, after, includeConfidential },
  ) => {
    const app = showing(opened, { includeConfidential });
    const review = overdue ? ("overdue" as const) : undefined;
    const query = { organizationId: organization, resourceType: type, review, endsSoon: ending };
    await requireListable(app, query);
    const { shown } = await listHolds(app, query, { after, limit, examinedMax: Infinity });
    const holds = shown.map(({ hold }) => hold);
    const next = holds.length === limit ? holds.at(-1)?.holdId : undefined;
    const more = next === undefined ? "" : `\nThere may be more: --after ${next}`;
    return {
      json: { holds: holds.map((one) => listedHolds.json(one)), next: next ?? null },
      text: holds.length === 0 ? "There is no hold to list." : listedHolds.table(holds) + more,
    };
  },
});

export const deletionRelease = defineCommand({
  name: "deletion release",
  summary: "Release a legal hold. Deletions that waited for it continue once no hold is left.",
  details:
    "Takes the id of the hold. If a record has only one hold, the record or a deletion request for it may be named instead; if " +
    "it has several, this lists them and releases none.",
  examples: [
    'sluice deletion release hold_7dKp2QmX9sT1vZa4 --reason "the court has decided"',
    "sluice deletion release transaction tx-2026-000417 --organization acme",
    "sluice deletion release del_4fQ2mN8sT1vXc7Za",
  ],
  rights: ["hold.release"],
  arguments: {
    what: required(
      text("HOLD_ID|TYPE|DELETION_REQUEST_ID"),
      "Id of the hold; or type of the record, followed by its id; or the id of a deletion request.",
    ),
    id: optional(text("ID"), "Id of the record."),
  },
  options: {
    ...targetOptions,
    reason: optional(reason, "Why it is released; the audit trail has it."),
  },
  run: (context, { reason: because, ...values }) => {
    const isHold = values.id === undefined && values.what.startsWith("hold_");
    const target = isHold ? { holdId: values.what } : readTarget(values);
    return context.withApp(
      async (app) => {
        const { hold, remaining } = await releaseHold(app, target, because);
        const record = nameHeld(hold);
        const left = remaining.map((other) => `\n  ${other.holdId}  ${other.reason}`).join("");
        return {
          json: {
            ...listedHolds.json(hold),
            remaining: remaining.map((one) => listedHolds.json(one)),
          },
          text:
            left === ""
              ? `${record} is no longer held.`
              : `The hold ${hold.holdId} is released. ${record} is still held by:${left}`,
        };
      },
      { restoring: true },
    );
  },
});
