// The table of record types, compared with the contract's table of section 3 and the relations of
// section 7.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypeByName, recordTypes } from "../../src/domain/record-types.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";
import { validatorOf } from "../../src/domain/schema/validator.ts";
import { deletableFamilies, families } from "../../src/domain/scope.ts";
import { validatePayload } from "../../src/domain/validation/validate.ts";

/**
 * The contract's table: `*` is required on POST. Written out a second time, so that a mistake
 * shows.
 */
const contract: Readonly<Record<string, string>> = {
  transaction: `tx_id* type* method* amount* currency* status* is_test amount_usd sender_id sender_country receiver_id
    receiver_country`,
  transaction_check: "check_id* status* type* is_test related_tx_ids related_tx_id",
  transaction_alert: "alert_id* status* check_type related_check_id related_tx_ids is_test",
  transaction_suspicious_activity: `suspicious_activity_id* detection_date* report_id report_filed_at related_tx_ids
    related_alert_id is_test`,
  screening: `screening_id* type* outcome* provider* lists* outcome_details related_tx_id related_person_id
    related_company_id`,
  risk_assessment: "assessment_id* type* outcome* related_person_id related_company_id",
  person: `person_id* is_test_user* is_retail_customer* is_beneficial_owner is_director is_account_owner is_shareholder
    related_company_id is_sole_prop is_significant_control_person ownership_percentage account_status name first_name
    last_name email address phone_number date_of_birth nationality occupation first_transaction_completed_at
    national_identification_number product_type`,
  company: `company_id* is_test_company* account_status legal_name trading_name email addresses phone_number type
    registration_number incorporation_date incorporation_country incorporation_state primary_operation_country industry
    industry_classification source_of_wealth source_of_funds first_transaction_completed_at product_type
    registered_as_inactive`,
  identity_verification: `verification_id* verification_provider* verified_data* verification_overall_outcome
    verification_type related_person_id related_company_id`,
  onboarding_flow: `onboarding_flow_id* flow_name* outcome* outcome_reason related_person_id related_company_id`,
  customer_sar: "sar_id* status* sar_reason related_person_id related_company_id",
};

const relations = `
  transaction_check.related_tx_ids belongs transaction
  transaction_check.related_tx_id belongs transaction
  transaction_alert.related_check_id belongs transaction_check
  transaction_alert.related_tx_ids belongs transaction
  transaction_suspicious_activity.related_tx_ids belongs transaction
  transaction_suspicious_activity.related_alert_id belongs transaction_alert
  screening.related_tx_id belongs transaction
  screening.related_person_id belongs person
  screening.related_company_id belongs company
  risk_assessment.related_person_id belongs person
  risk_assessment.related_company_id belongs company
  person.related_company_id mentions company
  identity_verification.related_person_id belongs person
  identity_verification.related_company_id belongs company
  onboarding_flow.related_person_id belongs person
  onboarding_flow.related_company_id belongs company
  customer_sar.related_person_id belongs person
  customer_sar.related_company_id belongs company`;

describe("the table of record types", () => {
  it("holds the types of the contract, with its fields, in its order", () => {
    const table = recordTypes.map((type) => {
      const required = new Set<string>(type.addSchema.required);
      const fields = type.fieldNames.map((name) => (required.has(name) ? `${name}*` : name));
      return [type.resourceType, fields];
    });
    const expected = Object.entries(contract).map(([name, fields]) => [
      name,
      [...fields.split(/\s+/), "timestamp*", "additional_properties"],
    ]);
    assert.deepEqual(table, expected);
  });

  it("requires nothing but the id and the timestamp of an update", () => {
    for (const type of recordTypes) {
      assert.deepEqual(type.updateSchema.required, [type.idField, "timestamp"]);
    }
  });

  it("has the relations of the contract", () => {
    const table = recordTypes.flatMap((type) =>
      type.relations.map(({ field, kind, to }) => `${type.resourceType}.${field} ${kind} ${to}`),
    );
    assert.deepEqual(table, relations.trim().split(/\s*\n\s*/));
  });

  it("has relations only between its own types, through fields that hold ids", () => {
    for (const type of recordTypes) {
      const properties: Readonly<Record<string, SchemaShape>> = type.addSchema.properties;
      for (const { field, to } of type.relations) {
        assert.ok(recordTypeByName(to), `${type.resourceType}.${field}`);
        const [schema] = alternativesOf(properties[field] ?? {});
        assert.equal((schema?.items ?? schema)?.type, "string", `${type.resourceType}.${field}`);
      }
    }
  });

  it("puts transaction types into one family and the others into their own", () => {
    for (const { resourceType, family } of recordTypes) {
      assert.equal(family, resourceType.startsWith("transaction") ? "transactions" : resourceType);
    }
    assert.deepEqual(
      [...new Set(recordTypes.map((type) => type.family))].sort(),
      [...families].sort(),
    );
  });

  it("lets transactions, persons and companies be deleted, which have scopes for it", () => {
    const deletable = recordTypes.filter((type) => type.deletable === true);
    assert.deepEqual(
      deletable.map((type) => type.resourceType),
      ["transaction", "person", "company"],
    );
    assert.deepEqual(
      deletable.map((type) => type.family),
      [...deletableFamilies],
    );
  });

  it("has a path for lists only for transactions", () => {
    const paths = recordTypes.filter((type) => type.batchPath !== undefined);
    assert.deepEqual(
      paths.map((type) => [type.resourceType, type.batchPath]),
      [["transaction", "transactions/batch"]],
    );
  });

  it("finds a type by its name and nothing by any other", () => {
    for (const type of recordTypes) assert.equal(recordTypeByName(type.resourceType), type);
    for (const name of ["", "Transaction", "toString", "__proto__"]) {
      assert.equal(recordTypeByName(name), undefined);
    }
  });

  it("has no field with the name of a property of every object", () => {
    for (const type of recordTypes) {
      for (const name of type.fieldNames) assert.equal(name in Object.prototype, false, name);
    }
  });

  it("describes every field and says what is expected of it", () => {
    for (const type of recordTypes) {
      for (const [name, schema] of Object.entries(type.addSchema.properties)) {
        const { description, expected } = schema as { description?: string; expected?: string };
        assert.ok(description && expected, `${type.resourceType}.${name}`);
      }
    }
  });

  it("has examples that can be added and sent again as an update", () => {
    for (const type of recordTypes) {
      assert.deepEqual(validatePayload(type, "add", type.example), [], type.resourceType);
      assert.deepEqual(validatePayload(type, "update", type.example), [], type.resourceType);
    }
  });

  it("compiles its validators, on which the speed of writing depends", () => {
    for (const type of recordTypes) {
      assert.ok(validatorOf(type.addSchema).IsAccelerated());
      assert.ok(validatorOf(type.updateSchema).IsAccelerated());
    }
  });
});
