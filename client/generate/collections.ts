// client/src/generated/collections.ts: the collection of each record type.

import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { docstring, file, importTypes, pascalCase, withArguments } from "./code-text.ts";

export function renderCollections(): string {
  const records = recordTypes.flatMap((type) => [nameOf(type), `${nameOf(type)}Update`]);
  const imports = [
    'import { Collection, DeletableCollection } from "../collection.ts";',
    'import type { Session } from "../session.ts";',
    importTypes(records.sort(), "./records.ts"),
    importTypes(recordTypes.flatMap(repliesOf).sort(), "./replies.ts"),
  ];
  const fields = recordTypes.map(
    (type) =>
      docstring(type.summary, "  ") +
      withArguments(`readonly ${collectionName(type)}: ${classOf(type)}`, typesOf(type), "  "),
  );
  const made = recordTypes.map(constructorLine);
  return file(
    "Where the records of each type are reached.",
    imports.join("\n"),
    `export class Collections {\n${fields.join("")}\n  constructor(session: Session) {\n${made.join("")}  }\n}`,
  );
}

/** `identityVerifications` for `identity_verification`. */
export function collectionName({ resourceType }: RecordType): string {
  const plural = resourceType.endsWith("y")
    ? `${resourceType.slice(0, -1)}ies`
    : `${resourceType}s`;
  return plural.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function nameOf({ resourceType }: RecordType): string {
  return pascalCase(resourceType);
}

function classOf({ deletable }: RecordType): string {
  return deletable === true ? "DeletableCollection" : "Collection";
}

function repliesOf(type: RecordType): readonly string[] {
  const name = nameOf(type);
  return type.deletable === true
    ? [`${name}Existence`, `${name}DeletionAccepted`]
    : [`${name}Existence`];
}

function typesOf(type: RecordType): readonly string[] {
  const name = nameOf(type);
  return [name, `${name}Update`, ...repliesOf(type)];
}

function constructorLine(type: RecordType): string {
  const { resourceType, idField, batchPath } = type;
  const paths = [
    `type: "${resourceType}"`,
    `idField: "${idField}"`,
    ...(batchPath === undefined ? [] : [`listPath: "${batchPath}"`]),
  ];
  const lines = paths.map((path) => `      ${path},\n`).join("");
  return `    this.${collectionName(type)} = new ${classOf(type)}(session, {\n${lines}    });\n`;
}
