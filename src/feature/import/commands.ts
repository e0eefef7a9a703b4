// `sluice import`

import { type Layout, layoutNames, layoutParts } from "../csv/layout.ts";
import { inputFormats } from "../csv/row.ts";
import {
  anyNumber,
  defineCommand,
  flag,
  optional,
  required,
  several,
  withDefault,
  type Kind,
  type Parameter,
} from "../../cli/command.ts";
import { keyVariable } from "./api-key.ts";
import { choice, recordType, text, wholeNumber, kind } from "../../cli/input/kinds.ts";
import { presetNames, readMapItems } from "./map/mapping.ts";
import { rights } from "./rows.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";

const mapItems: Kind<ReturnType<typeof readMapItems>> = {
  placeholder: "MAP",
  read: readMapItems,
};

/** An origin, with or without a path, and without a slash at the end. It must not contain a credential. */
const baseUrl = kind(
  "URL",
  "the address of a Sluice server, such as https://sluice.example.com, without a user, a query or a fragment",
  (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isPlain =
      url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
    return isPlain && /^https?:$/.test(url.protocol) ? withoutTrailing(given, "/") : undefined;
  },
);

const layoutOptions = Object.fromEntries(
  layoutNames.map((name) => {
    const { placeholder, expected, read, meaning } = layoutParts[name];
    return [name, optional(kind(placeholder, expected, read), meaning)];
  }),
) as { readonly [Name in keyof Layout]-?: Parameter<Layout[Name]> };

export const heading = "Records";

const importRecords = defineCommand({
  name: "import",
  summary:
    "Import records of one type from files: CSV, NDJSON, JSON lists or Parquet, plain or compressed.",
  details:
    "Sends the records over HTTP to the server at `--url`, with the API key in SLUICE_API_KEY or `--key-file`; without " +
    "`--url`, writes them directly to the local store. Identical records that exist already are not written again. The same " +
    "command continues an import that was interrupted. Refused rows are written to a file, each with its reason; correct " +
    "them there and import that file. A column with the name of a field needs no mapping. For other fields, `--map` says " +
    "where the value comes from: `field=COLUMN`, `field=COLUMN@FORMAT`, `field==TEXT` for a constant, or `field=~TEMPLATE`, " +
    "in which {COLUMN} stands for a cell and {#} for the row number. Time formats are rfc3339, unix, unix_ms, days:2025-01-01 " +
    "(days since that day), hours:2025-01-01, or a pattern and a time zone such as dd.MM.yyyy HH:mm:ss Europe/Berlin; number " +
    "formats are point (1,234.56), comma (1.234,56) and minor:COLUMN; codes of countries and currencies have meant, which reads de and DEU as DE. `--preset` " +
    "maps a known export. `--check` tells beforehand what would be refused. Exits with 3 if any row was, or would be, refused.",
  examples: [
    "sluice import transactions.csv --type transaction --organization acme --map tx_id=TXN_ID,amount=value --check",
    "SLUICE_API_KEY=… sluice import tx.ndjson.gz --type transaction --organization acme --url https://sluice.example.com",
    "sluice import tx.csv --type transaction --organization acme --map 'status==SETTLED,tx_id=~tx-{#},timestamp=time@unix'",
    "sluice import persons.csv --type person --organization acme --mapping persons-mapping.json",
  ],
  rights: [rights["records.import"]],
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
    preset: optional(
      choice("NAME", presetNames),
      `The mapping of a known export: ${presetNames.join(", ")}. The others take precedence.`,
    ),
    update: flag("Update records that exist (PUT) instead of adding them (POST)."),
    format: optional(
      choice("FORMAT", inputFormats),
      `${inputFormats.join(", ")}. Default: by the ending of the name.`,
    ),
    ...layoutOptions,
    check: flag(
      "Only check all rows: show the first as records, and count what is wrong by kind; send nothing.",
    ),
    rows: withDefault(
      wholeNumber("N", 0, 1_000),
      "Number of rows of each file that --check shows as records.",
      "5",
    ),
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
    const { runImport } = await import("./run-import.ts");
    return runImport(context, given);
  },
});

export const commands = [importRecords];
