// clients/go/codes.go and clients/go/collections.go: the codes of errors, and where the records of each type are
// reached.

import type { RecordType } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { allErrors } from "../../../src/process/tables.ts";
import { aligned, goDoc, goFile, goName } from "./go-text.ts";
import { pluralOf, replyNames, typeName } from "./shapes.ts";

export function renderGoCodes(): string {
  const constants = Object.entries(allErrors).map(
    ([name, { code, message }]) => `${goDoc(message, "\t")}\tCode${goName(name)} = ${code}\n`,
  );
  return goFile(
    "The codes of errors. They are stable, and new ones may come.",
    `// The values of Error.Code.\nconst (\n${constants.join("\n")})`,
  );
}

export function renderGoCollections(): string {
  const fields = recordTypes.map(
    (type) => `${goDoc(type.summary, "\t")}\t${goName(pluralOf(type))} *${classOf(type)}\n`,
  );
  const made = recordTypes.map(madeLines);
  const structDoc =
    "// Collections has the records of every type. It is part of Client.\ntype Collections struct {\n";
  return goFile(
    "Where the records of each type are reached.",
    `${structDoc}${fields.join("\n")}}`,
    `func newCollections(s *session) Collections {\n\treturn Collections{\n${aligned(made, "\t\t")}\t}\n}`,
  );
}

function classOf(type: RecordType): string {
  const name = typeName(type);
  const args = [name, `${name}Update`, ...replyNames(type)].join(", ");
  return type.deletable === true ? `DeletableCollection[${args}]` : `Collection[${args}]`;
}

function madeLines(type: RecordType): readonly string[] {
  const { resourceType, idField, batchPath = resourceType } = type;
  const name = typeName(type);
  const args = [name, `${name}Update`, ...replyNames(type)].join(", ");
  const make = type.deletable === true ? "newDeletableCollection" : "newCollection";
  const paths = `recordPaths{"${resourceType}", "${idField}", "${batchPath}"}`;
  return [`${goName(pluralOf(type))}:`, `${make}[${args}](s, ${paths}),`];
}
