// A record type: its fields, its relations, its rules across fields, and the schemas made from them. The types
// themselves are data in record-type/*.ts, listed in record-types.ts.

import {
  addedField,
  additionalProperties,
  dateTime,
  exactObject,
  type Field,
  nullable,
} from "./schema/fields.ts";
import type { FieldError } from "./error.ts";
import type { ObjectSchema } from "./schema/schema-shape.ts";
import type { Family } from "./scope.ts";

/** The name of a type in the table of record-types.ts, which is also its path segment, e.g. `risk_assessment`. */
export type ResourceType = string;

/** A submitted record: parsed JSON by field name. */
export type Payload = Readonly<Record<string, unknown>>;

/** What a submission does: POST adds (or appends), PUT updates. */
export type Operation = "add" | "update";

/** `belongs`: erased with the record that it refers to. `mentions`: remains, without the reference. */
export type RelationKind = "belongs" | "mentions";

export interface RelationField {
  /** Field that holds an id or a list of ids. */
  readonly field: string;
  readonly to: ResourceType;
  readonly kind: RelationKind;
}

/**
 * A rule that the schema of a field can't express. Also runs on a payload that its schema refuses, so that all errors
 * are reported together: it must accept any JSON object, and does not report what the schemas report.
 */
export interface Rule {
  readonly on: "add" | "always";
  readonly summary: string;
  /** A state holds at most one of these fields: the one of the latest change (merge.ts). */
  readonly exclusive?: readonly string[];
  check(payload: Payload): readonly FieldError[];
}

/** Keywords of JSON Schema 2020-12 as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A field has a value that closes the record. */
export interface ClosingCondition {
  readonly field: string;
  readonly is: unknown;
  /** The name of a field that decides in place of this one while it has a value. */
  readonly unless?: string;
}

export interface RecordTypeDefinition {
  readonly resourceType: ResourceType;
  readonly idField: string;
  readonly family: Family;
  readonly title: string;
  readonly summary: string;
  /** In the order in which they are stored and documented; `timestamp` and `additional_properties` are added. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly relations?: readonly RelationField[];
  /** Fields that name a person or a company without being a relation: the parties of a transaction. */
  readonly partyFields?: readonly string[];
  readonly rules?: readonly Rule[];
  /** Dates that can't be in the future, such as a date of birth. */
  readonly pastDates?: readonly string[];
  /** Currencies that have to be valid at the timestamp. */
  readonly currencyFields?: readonly string[];
  /** A record that a POST accepts, shown in the docs and checked by a test. */
  readonly example: Payload;
}

/** Operations of a type besides those of every type. */
export interface RecordTypeOptions {
  /** Single operations take one object, and lists have separate paths (`transaction`). */
  readonly batchPath?: string;
  /** May be deleted by request (`transaction`, `person`, `company`). */
  readonly deletable?: boolean;
  /** A person or a company, which `partyFields` name (`person`, `company`). */
  readonly party?: boolean;
  /** The record is closed while any of these applies. A retention floor may count from that time. */
  readonly closed?: readonly ClosingCondition[];
  /** Nobody without its scope may learn that a record exists, so none may visibly delay a deletion. */
  readonly confidential?: boolean;
}

export interface RecordType extends RecordTypeDefinition, RecordTypeOptions {
  readonly relations: readonly RelationField[];
  readonly partyFields: readonly string[];
  readonly rules: readonly Rule[];
  readonly pastDates: readonly string[];
  readonly currencyFields: readonly string[];
  /** Every field in canonical order. */
  readonly fieldNames: readonly string[];
  readonly addSchema: ObjectSchema;
  readonly updateSchema: ObjectSchema;
}

export function defineRecordType(definition: RecordTypeDefinition & RecordTypeOptions): RecordType {
  const fields: Record<string, Field> = {
    ...definition.fields,
    timestamp: {
      schema: dateTime("When it happened (business time), with offset."),
      required: true,
    },
    additional_properties: { schema: additionalProperties, required: false },
  };
  const isKey = (name: string) => name === definition.idField || name === "timestamp";
  return {
    ...definition,
    relations: definition.relations ?? [],
    partyFields: definition.partyFields ?? [],
    rules: definition.rules ?? [],
    pastDates: definition.pastDates ?? [],
    currencyFields: definition.currencyFields ?? [],
    fieldNames: Object.keys(fields),
    addSchema: exactObject(fields, addedField),
    updateSchema: exactObject(fields, (field, name) => updatedField(field, isKey(name))),
  };
}

/** The noun for messages: `customer SAR` for the title `Customer SAR`. */
export function nounOf({ title }: Pick<RecordType, "title">): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}

/** On PUT only the id and the timestamp are required, and null clears an optional field (contract, section 5). */
function updatedField({ schema, required }: Field, isKey: boolean): Field {
  return { schema: required ? schema : nullable(schema), required: isKey };
}
