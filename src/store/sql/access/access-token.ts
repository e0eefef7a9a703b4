// Access tokens: stored as their SHA-256, and read together with the key and the organization that a request is checked
// against.

import type { AccessToken, Caller } from "../../../domain/access.ts";
import { callerColumns, toKey, toOrganization, toToken } from "../../row/access-row.ts";
import type { OneTimeToken } from "../../interface/operators.ts";
import type { Row } from "../../row/reader.ts";
import { insertOneTimeToken } from "./operator.ts";
import { find, run, type Statements } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

export interface NewToken extends AccessToken {
  readonly tokenHash: Uint8Array;
  /** The part of the platform's token that can be used only once, and until when this has to be remembered. */
  readonly usedOnce?: Pick<OneTimeToken, "tokenHash" | "expiresAt"> | undefined;
}

const insertToken = insertion<NewToken>(
  "access_token",
  "token_hash key_id organization_id scopes created_at expires_at subject",
);

const setLastUse = `UPDATE api_key SET last_used_at = $1 WHERE key_id = $2`;

const findByHash = `
  SELECT ${callerColumns}
  FROM access_token
    JOIN api_key ON api_key.key_id = access_token.key_id
    JOIN organization ON organization.organization_id = access_token.organization_id
  WHERE token_hash = $1`;

/** Returns false, and stores nothing, if a platform's token that can be used only once was used before. */
export function* createToken(token: NewToken): Statements<boolean> {
  const { keyId, createdAt, usedOnce } = token;
  if (usedOnce !== undefined) {
    const use = { ...usedOnce, purpose: "identity", operatorId: null } as const;
    if ((yield* insertOneTimeToken(use)) === 0) return false;
  }
  yield* insertToken(token);
  yield* run(setLastUse, createdAt, keyId);
  return true;
}

export function* findCaller(tokenHash: Uint8Array) {
  return yield* find(toCaller, findByHash, tokenHash);
}

function toCaller(row: Row): Caller {
  return { token: toToken(row), key: toKey(row), organization: toOrganization(row) };
}
