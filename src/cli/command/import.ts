// `sluice import`

import { auditAccess } from "../../actions/audit-access.ts";
import { findOpenOrganization } from "../../actions/close-organization.ts";
import { findType } from "../../actions/find-target.ts";
import { UsageError } from "../../actions/operator-error.ts";
import { inputFormats } from "../../bulk/formats/row.ts";
import { type FilePaths, pathsOf } from "../../bulk/import/file-paths.ts";
import { httpTarget } from "../../bulk/import/http-target.ts";
import { type FileReport, importFile, type ImportPlan } from "../../bulk/import/import-file.ts";
import { type Mapping, type readMapItems, readMappingFile } from "../../bulk/import/mapping.ts";

import { describePreview, previewFile } from "../../bulk/import/preview.ts";
import { requireReplaceable } from "../../bulk/import/replaceable-file.ts";
import { storeTarget } from "../../bulk/import/store-target.ts";
import type { Target } from "../../bulk/import/target.ts";
import type { BulkProgress, BulkStep } from "../../bulk/progress.ts";
import {
  anyNumber,
  type CommandResult,
  type Context,
  defineCommand,
  flag,
  optional,
  required,
  several,
  withDefault,
} from "../command.ts";
import { keyVariable, readApiKey } from "../input/api-key.ts";
import { baseUrl, delimiter, mapItems } from "../input/import-kinds.ts";
import { choice, recordType, text, wholeNumber } from "../input/kinds.ts";
import { makeBulkProgress } from "../output/bulk-progress.ts";
import { describeReports, viewReports } from "../output/import-report.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { bulkHeap, limitHeap } from "../v8-flags.ts";

export const importRecords = defineCommand({
  name: "import",
  summary:
    "Import records of one type from files: CSV, NDJSON, JSON lists or Parquet, plain or compressed.",
  details:
    "Sends the records over HTTP to the server at `--url`, with the API key in SLUICE_API_KEY or `--key-file`; without " +
    "`--url`, writes them directly to the local store. Identical records that exist already are not written again. The same " +
    "command continues an import that was interrupted. Refused rows are written to a file, each with its reason; correct " +
    "them there and import that file. A column with the name of a field needs no mapping. For other fields, `--map` says " +
    "where the value comes from: `field=COLUMN`, `field=COLUMN@TIME_FORMAT`, `field==TEXT` for a constant, or `field=~TEMPLATE`, " +
    "in which {COLUMN} stands for a cell and {#} for the row number. Time formats are rfc3339, unix, unix_ms, days:2025-01-01 " +
    "(days since that day), or a pattern and a time zone such as dd.MM.yyyy HH:mm:ss Europe/Berlin. Exits with 1 if any row " +
    "was refused.",
  examples: [
    "sluice import transactions.csv --type transaction --organization acme --map tx_id=TXN_ID,amount=value --dry-run",
    "SLUICE_API_KEY=… sluice import tx.ndjson.gz --type transaction --organization acme --url https://sluice.example.com",
    "sluice import tx.csv --type transaction --organization acme --map 'status==SETTLED,tx_id=~tx-{#},timestamp=time@unix'",
    "sluice import persons.csv --type person --organization acme --mapping persons-mapping.json",
  ],
  rights: ["records.import"],
  arguments: {
    files: several(text("FILE"), "Files to import; the ending of the name determines the format."),
  },
  options: {
    type: required(recordType, "Record type, such as transaction."),
    organization: required(text("ID"), "Organization that the records belong to."),
    url: optional(baseUrl, "Address of the server to send to. Default: write to the local store."),
    keyFile: optional(text("FILE"), `File that contains the API key, instead of ${keyVariable}.`),
    map: anyNumber(mapItems, "Mappings of fields, separated by commas; may be repeated."),
    mapping: optional(text("FILE"), "The mapping as a JSON file; `--map` takes precedence."),
    update: flag("Update records that exist (PUT) instead of adding them (POST)."),
    format: optional(
      choice("FORMAT", inputFormats),
      `${inputFormats.join(", ")}. Default: by the ending of the name.`,
    ),
    delimiter: optional(
      delimiter,
      "Character between CSV cells, such as ; or tab. Default: a comma.",
    ),
    dryRun: flag("Only show the records that the first rows would become; send nothing."),
    rows: withDefault(
      wholeNumber("N", 1, 1_000),
      "Number of rows of each file that --dry-run shows.",
      "5",
    ),
    refused: optional(text("FILE"), "File for refused rows. Default: beside the input."),
    state: optional(
      text("DIR"),
      "Folder for the state file and for refused rows. Default: beside the input.",
    ),
    connections: withDefault(
      wholeNumber("N", 1, 32),
      "Number of lists of records that are sent at once.",
      "4",
    ),
  },
  run: async (context, given) => {
    const plan: ImportPlan = {
      type: findType(given.type),
      organizationId: given.organization,
      mapping: combine(given.mapping, given.map),
      update: given.update,
      format: given.format,
      delimiter: given.delimiter,
      connections: given.connections,
    };
    if (given.dryRun) return preview(given.files, plan, given.rows);
    limitHeap(bulkHeap);
    const { state: folder, refused, format } = given;
    const paths = pathsOf(given.files, { folder, refused, format });
    requireReplaceable(paths);
    const reports = await runUntilStopped((stopping) =>
      withTarget(context, plan, {
        ...given,
        stopping,
        work: (target) => importAll(context, plan, { paths, target, stopping }),
      }),
    );
    return {
      json: viewReports(reports),
      text: describeReports(reports),
      exitCode: reports.some(({ refused: rows }) => rows > 0) ? 1 : 0,
    };
  },
});

/** Options take precedence over the file. */
function combine(
  file: string | undefined,
  options: readonly ReturnType<typeof readMapItems>[],
): Mapping {
  const read: Mapping = file === undefined ? new Map() : readMappingFile(file);
  return new Map([...read, ...options.flat()]);
}

async function preview(
  files: readonly string[],
  plan: ImportPlan,
  rows: number,
): Promise<CommandResult> {
  const previews = [];
  for (const file of files) previews.push(await previewFile(file, plan, rows));
  return { json: { files: previews }, text: previews.map(describePreview).join("\n\n") };
}

interface TargetOptions<Result> {
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly stopping: AbortSignal;
  readonly work: (target: Target) => Promise<Result>;
}

async function withTarget<Result>(
  context: Context,
  { organizationId, type, update }: ImportPlan,
  { url, keyFile, stopping, work }: TargetOptions<Result>,
): Promise<Result> {
  if (url !== undefined) {
    const apiKey = readApiKey(context, keyFile);
    return work(httpTarget({ url, apiKey, organizationId, type, stopping }));
  }
  if (keyFile !== undefined)
    throw new UsageError("--key-file is for an import over HTTP; add --url.");
  return context.withApp(async (app) => {
    await findOpenOrganization(app, organizationId);
    const detail = { resourceType: type.resourceType, update };
    await auditAccess(app, "records.import", { organizationId, subject: organizationId, detail });
    return work(storeTarget(app, organizationId));
  });
}

interface Work {
  readonly paths: readonly FilePaths[];
  readonly target: Target;
  readonly stopping: AbortSignal;
}

async function importAll(
  { err, json }: Context,
  plan: ImportPlan,
  { paths, target, stopping }: Work,
): Promise<readonly FileReport[]> {
  const reports: FileReport[] = [];
  for (const path of paths) {
    const makeProgress = (before: BulkStep): BulkProgress =>
      makeBulkProgress(err, { json, name: path.file, before });
    reports.push(await importFile({ ...plan, ...path }, { target, stopping, makeProgress }));
  }
  return reports;
}
