// docs/reference/import-files.md: what an import can read, from the code that reads it.

import { layoutNames, layoutParts } from "../../../src/feature/csv/layout.ts";
import { numberFormats } from "../../../src/feature/csv/number-format.ts";
import { presetNames, readPreset } from "../../../src/feature/import/map/mapping.ts";
import { namedTimes } from "../../../src/feature/csv/time-format.ts";
import { timeLetters } from "../../../src/feature/csv/time-pattern.ts";
import { zoneNames } from "../../../src/feature/csv/time-zone.ts";
import { code, generatedNote, page, table } from "../markdown.ts";
import type { GeneratedPage } from "../pages.ts";

export const pages: readonly GeneratedPage[] = [
  { path: "docs/reference/import-files.md", render: renderImportFiles },
];

function renderImportFiles(): string {
  return page(
    "# Files of an import",
    generatedNote,
    "How to use these is in [import and export](../guides/bulk.md#mappings).",
    "## Layouts",
    "Each is an option of [`sluice import`](cli.md), a key of `layout` in a mapping file, and an input in the\n" +
      "console.",
    table(
      ["name", "value", "meaning"],
      layoutNames.map((name) => {
        const { expected, meaning } = layoutParts[name];
        return [code(name), expected, meaning];
      }),
    ),
    "A line `sep=;` before the names of the columns is understood. Columns of the same name become `Account` and\n" +
      "`Account (2)`; those without a name are not imported. Lines of nothing but delimiters are no rows, and empty cells\n" +
      "after the last column are ignored.",
    "## Formats of numbers",
    table(
      ["format", "reads", "number"],
      numberFormats.map(({ name, examples, meaning }) => [
        code(name),
        examples.map(code).join(", "),
        meaning,
      ]),
    ),
    "With `point` and `comma`, thousands may be apart by the other sign, a space or an apostrophe; a sign and a currency may\n" +
      "be on either side, and parentheses mean a negative number. `-`, `null`, `(null)`, `nan`, `n/a` and `none` are no value.\n" +
      "Thousands never begin with 0: `0.125` is refused by `comma`. With `minor`, so are currencies without minor units, such\n" +
      "as XDR.",
    "## Formats of codes",
    "For a country or a currency, `meant` reads also `de`, ` DE `, `DEU` and `UK` as the code that is meant: in capitals,\n" +
      "without blanks, alpha-2 where only that is accepted, and `GB`, `GR`, `CNY` and `ILS` for `UK`, `EL`, `RMB` and `NIS`.",
    "## Formats of times",
    table(
      ["format", "reads", "time"],
      namedTimes.map(([format, example, meaning]) => [code(format), code(example), meaning]),
    ),
    "Anything else is a pattern:",
    table(
      ["letters", "stand for"],
      timeLetters.map(([letters, , , meaning]) => [code(letters), meaning]),
    ),
    "Text in single quotes stands for itself, as does `T`. In brackets, `[:ss]` and `[.S]` may be missing. A space is also\n" +
      "one that does not break. A name of a month is one in English, German, French, Spanish, Italian, Portuguese, Dutch,\n" +
      "Danish or Swedish.",
    "`VV` reads names such as `Europe/Berlin`, offsets such as `+01` or `GMT-8`, and these names, of which an abbreviation is\n" +
      "one offset in summer and winter. Others are refused, because they are used for several zones, such as `CST`, `IST`\n" +
      "and `BST`.",
    table(
      ["zone", "is"],
      Object.entries(zoneNames).map(([zone, offset]) => [code(zone), code(offset)]),
    ),
    "## Presets",
    "`--preset`, and a choice in the console, read the exports of other products. Each is a mapping file, which `--map`\n" +
      "and `--mapping` override field by field.",
    table(
      ["preset", "reads", "fields"],
      presetNames.map((name) => {
        const { description = "", mapping } = readPreset(name);
        return [code(name), description, [...mapping.keys()].map(code).join(", ")];
      }),
    ),
  );
}
