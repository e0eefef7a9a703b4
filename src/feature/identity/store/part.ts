// What identities of programs have in the store: no table, since a rule is a row of `api_key` without a secret.
// Whatever ends a key, such as closing its organization, ends a rule.

import type { ApiKey, KeyHolder } from "../../../domain/access.ts";
import type { NewKey } from "../../../store/interface/access.ts";
import type { Act } from "../../../store/interface/act.ts";
import { toKey } from "../../../store/row/access-row.ts";
import type { Row } from "../../../store/row/reader.ts";
import {
  addKey,
  describeKey,
  endKey,
  findBy,
  holders,
  toKeyHolder,
} from "../../../store/sql/access/api-key.ts";
import { change, every, lookup, ofOrganization } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { list, type Statements } from "../../../store/sql/statement/statements.ts";
import { oneOrAll, organization } from "../../../store/sql/statement/visibility.ts";
import type { IdentityRule } from "../identity-rule.ts";
import { actions } from "./actions.ts";

const findRules = findBy("rule IS NOT NULL");

const findTrusting = `
  ${holders}
  WHERE organization_id = $1 AND rule IS NOT NULL AND revoked_at IS NULL
  ORDER BY api_key.created_at, key_id`;

/** A rule as it is stored. */
export type TrustingRule = ApiKey & WithRule;

interface WithRule {
  readonly rule: IdentityRule;
}

const toRule = (row: Row) => toKey(row) as TrustingRule;
const toRuleHolder = (row: Row) => toKeyHolder(row) as KeyHolder & { readonly key: TrustingRule };

function* createRule(key: NewKey & WithRule, act: Act): Statements<void> {
  const { jwks, ...rule } = key.rule;
  const keys = jwks === undefined ? {} : { keys: jwks.keys.length };
  const detail = { ...describeKey(key), ...rule, ...keys };
  yield* addKey(key, act, { action: actions["identity.create"].name, detail });
}

/** Revoking one a second time changes nothing. */
function* revokeRule(keyId: string, act: Act): Statements<void> {
  yield* endKey(keyId, act, actions["identity.revoke"].name);
}

/** The rules of one organization, or of all if none is named. */
function* listRules(organizationId: string | undefined) {
  return yield* list(toRule, findRules, organizationId ?? null);
}

/** The rules of an organization that are not revoked, the oldest first. */
function* findTrustingRules(organizationId: string) {
  return yield* list(toRuleHolder, findTrusting, organizationId);
}

const methods = {
  create: change(ofOrganization, createRule),
  revoke: change(every, revokeRule),
  list: lookup(oneOrAll, listRules),
  findTrusting: lookup(organization, findTrustingRules),
} as const;

export const identityRules = {
  name: "identityRules",
  methods,
  tables: [],
} satisfies StorePart;
