// Writes persons and companies of the organization `acme` to the store, and changes of persons.

import assert from "node:assert/strict";
import type { App } from "../../src/actions/app.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import { typeNamed } from "../conformance/scene.ts";

type SubjectType = "person" | "company";

const examples: Readonly<Record<SubjectType, Payload>> = {
  person: { is_test_user: false, is_retail_customer: true },
  company: { is_test_company: false, registration_number: { type: "HRB", value: "HRB 12-34" } },
};

export function addSubject(
  app: App,
  type: SubjectType,
  { id, ...fields }: Payload & { readonly id: string },
): Promise<void> {
  const example = { timestamp: "2026-01-15T11:58:00Z", ...examples[type] };
  return write(app, { type, id, fields: { ...example, ...fields }, mode: "add" });
}

export function updatePerson(app: App, id: string, fields: Payload): Promise<void> {
  const later = { timestamp: "2026-02-15T11:58:00Z", ...fields };
  return write(app, { type: "person", id, fields: later, mode: "update" });
}

interface Written {
  readonly type: SubjectType;
  readonly id: string;
  readonly fields: Payload;
  readonly mode: "add" | "update";
}

async function write(app: App, { type: resourceType, id, fields, mode }: Written): Promise<void> {
  const type = typeNamed(resourceType);
  const drafts = [makeDraft(type, { ...fields, [type.idField]: id }, mode)];
  const one = { organizationId: "acme", resourceType, mode, lenient: false, receivedAt: 1_000 };
  assert.equal((await app.store.writeRecords({ ...one, drafts })).written, 1);
}
