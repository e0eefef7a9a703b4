// `sluice organization close`

import {
  type ClosedOrganization,
  closeOrganization,
  findClosable,
  findClosed,
} from "../../actions/access/close-organization.ts";
import type { App } from "../../actions/app.ts";
import {
  countRecords,
  countShownRecords,
  findOrganization,
} from "../../actions/access/find-organization.ts";
import { describeKept } from "../../actions/retention/kept-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { withClosingLock } from "../../data-folder/closing-lock.ts";
import { readConfig } from "../../settings/config.ts";
import type { Organization } from "../../domain/access.ts";
import {
  type Context,
  defineStoreCommand,
  flag,
  optional,
  required,
  withDefault,
} from "../command.ts";
import { reason, text } from "../input/kinds.ts";
import type { OrganizationExport } from "../organization-export.ts";
import { organizations } from "../../noun/organization.ts";
import { formatTime } from "../output/table.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { formatCount } from "../../basics/format-count.ts";
import { sluice } from "../../basics/program-name.ts";

export const organizationClose = defineStoreCommand({
  name: "organization close",
  summary:
    "Close an organization, and request the permanent deletion of everything that belongs to it.",
  details:
    "From then on its keys and tokens are refused, in a running server within 2 seconds, and nothing can be written. With " +
    "`--export`, every change of every record is then written to files in that folder, one for each type, with a manifest of their " +
    "rows and SHA-256, before anything is deleted. A serving process erases everything, in steps and beside other work, and signs one receipt for it. While a " +
    "record is on hold or under a retention floor, nothing is erased. Restricted sets stay: each is erased by itself, when its last " +
    "hold is released and its last floor has ended; until then officers and auditors see it with `sluice restricted list`. If the command is interrupted, the same command continues, and if " +
    "everything was done already, says so. To continue without an export that was wanted, add `--without-export`. The organization's " +
    "name, its revoked keys, deletion requests, receipts and audit entries stay, and its id can't be used again.",
  examples: [
    'sluice organization close --organization acme --export acme-2026 --reason "contract 81 has ended" --yes',
  ],
  rights: ["organization.close"],
  options: {
    organization: required(text("ID"), "The organization."),
    export: optional(text("DIR"), "Folder for the export; it is created if it does not exist."),
    withoutExport: flag("Continue an interrupted closing without an export."),
    reason: withDefault(
      reason,
      "The reason. It stays in the receipt.",
      "the organization was closed",
    ),
    yes: flag("Confirm. Without this, the command only says what would be deleted."),
  },
  run: async (app, given, context) => {
    const { organization: organizationId } = given;
    if (!given.yes && (await findClosed(app, organizationId)) === undefined) {
      throw await describeUnconfirmed(app, await findClosable(app, organizationId));
    }
    const { dataDir } = readConfig(context.environment);
    // No other command may change the organization or the folder between reading and writing.
    return withClosingLock(dataDir, () => close(app, given, context));
  },
});

interface Closing {
  readonly organization: string;
  readonly export: string | undefined;
  readonly withoutExport: boolean;
  readonly reason: string;
}

async function close(
  app: App,
  { organization: organizationId, export: folder, ...given }: Closing,
  context: Context,
) {
  const closedBefore = await findClosed(app, organizationId);
  if (closedBefore !== undefined) return await reportAgain(app, closedBefore, folder);
  const before = await findClosable(app, organizationId);
  if (folder !== undefined) {
    const { requireExportFolder } = await import("../organization-export.ts");
    await requireExportFolder(app, folder, before);
  }
  let exported: Exported | undefined;
  const exportAll =
    folder === undefined
      ? undefined
      : async (closed: Organization) => {
          const { files, ...complete } = await exportInto(context, app, { closed, folder });
          exported = { folder, files };
          return complete;
        };
  const counts = await countShownRecords(app, organizationId);
  const condition = await describeCondition(app, { organizationId, counts });
  const { reason: why, withoutExport } = given;
  const closing = { organizationId, reason: why, exportAll, withoutExport };
  const closed = await closeOrganization(app, closing);
  return report(closed, { is: "is closed", exported, condition });
}

/**
 * Reports the result of a command that was interrupted only before its output, or that is repeated. Changes nothing.
 */
async function reportAgain(app: App, closed: ClosedOrganization, folder: string | undefined) {
  const exported = folder === undefined ? undefined : await findExported(app, closed, folder);
  const { organization, deletion } = closed;
  const { approval } = deletion;
  const isAwaited = approval !== undefined && approval.approvedAt === undefined;
  const is = `was closed at ${formatTime(organization.closedAt ?? 0)} already`;
  return report(closed, { is, exported, condition: isAwaited ? whenApproved : undefined });
}

/** Throws OperatorError if the requested export was never completed, because it can't be made any more. */
async function findExported(
  app: App,
  { organization, deletion }: ClosedOrganization,
  folder: string,
): Promise<Exported> {
  const { findExport } = await import("../organization-export.ts");
  const found = await findExport(app, folder, organization);
  if (found !== undefined) return { folder, files: found.files };
  const { deletionRequestId } = deletion;
  throw new OperatorError(
    "organization_closed",
    `The organization "${organization.organizationId}" was closed already, and ${folder} contains no complete export of it.`,
    { context: { deletionRequestId } },
  );
}

interface Report {
  readonly is: string;
  readonly exported: Exported | undefined;
  readonly condition: string | undefined;
}

interface Exported {
  readonly folder: string;
  readonly files: OrganizationExport["files"];
}

function report({ organization, deletion }: ClosedOrganization, { is, ...about }: Report) {
  const { exported, condition } = about;
  const { deletionRequestId } = deletion;
  const rows = exported?.files.map((file) => [file.resource_type, file.rows]);
  const waits = condition === undefined ? "" : `. Nothing is erased until ${condition}.`;
  return {
    json: {
      ...organizations.json(organization),
      deletion_request_id: deletionRequestId,
      exported: rows === undefined ? null : Object.fromEntries(rows),
    },
    text:
      `The organization ${organization.organizationId} ${is}.${describeExport(exported)} The deletion of everything that ` +
      `belongs to it is ${deletionRequestId}; see: ${sluice} deletion show ${deletionRequestId} --include-confidential` +
      waits,
  };
}

async function exportInto(
  context: Context,
  app: App,
  { closed, folder }: { readonly closed: Organization; readonly folder: string },
): Promise<OrganizationExport> {
  const { organizationId } = closed;
  const { exportOrganization } = await import("../organization-export.ts");
  try {
    return await runUntilStopped((stopping) =>
      exportOrganization(context, app, { organization: closed, folder, stopping }),
    );
  } catch (cause) {
    if (cause instanceof OperatorError && cause.errorName === "organization_closed") throw cause;
    const { message } = OperatorError.from("output", cause);
    throw new OperatorError(
      "output",
      `${message} The organization "${organizationId}" is closed, and nothing is deleted. Run the same command again to ` +
        "export and delete its records.",
      { cause },
    );
  }
}

function describeExport(exported: Exported | undefined): string {
  if (exported === undefined) return "";
  const changes = exported.files.reduce((sum, { rows }) => sum + rows, 0);
  return ` ${formatCount(changes, "change")} ${changes === 1 ? "was" : "were"} exported to ${exported.folder}.`;
}

const whenApproved = "a second person has approved it";

async function describeCondition(
  app: App,
  counted: Parameters<typeof describeKept>[1],
): Promise<string | undefined> {
  const { deletionApproval } = await findOrganization(app, counted.organizationId);
  const kept = await describeKept(app, counted);
  if (deletionApproval !== true) return kept;
  return kept === undefined ? whenApproved : `${whenApproved} and ${kept}`;
}

async function describeUnconfirmed(
  opened: App,
  organization: Organization,
): Promise<OperatorError> {
  const app = showing(opened, { includeConfidential: false });
  const { organizationId } = organization;
  const counts = await countRecords(app, organizationId);
  const listed = Object.entries(counts).map(
    ([type, count]) => `${count.toLocaleString("en")} ${type}`,
  );
  const records = listed.length === 0 ? "its records, none of which are shown" : listed.join(", ");
  const condition = await describeCondition(app, { organizationId, counts });
  return new OperatorError(
    "not_confirmed",
    `Nothing was changed. This would ${describeEnd(organization)}permanently delete ${records}` +
      `${condition === undefined ? "" : `, once ${condition}`}. ${ofConfidential} Add --yes to confirm.`,
  );
}

function describeEnd({ organizationId, name, closedAt }: Organization): string {
  return closedAt === undefined
    ? `end all access of the organization "${organizationId}" (${name}), which can't be undone, and `
    : `continue the interrupted closing of the organization "${organizationId}" (${name}), and `;
}

const ofConfidential =
  "Confidential records and their holds and retention floors are not listed here. They are deleted too, and may delay the deletion. " +
  "Restricted sets, if there are any, stay until their own holds are released and their floors have ended.";
