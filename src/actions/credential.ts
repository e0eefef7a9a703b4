// The format of API keys and access tokens: a prefix, 256 random bits in base 62, and a checksum that distinguishes a
// typing mistake from a wrong credential without a lookup in the store. Only the SHA-256 of a secret is stored.

import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export type CredentialKind = "api_key" | "access_token";

/** Secrets of operators have the same format, but are no credentials of the API. */
export type SecretKind = CredentialKind | "operator_link" | "operator_session";

const prefixes = {
  api_key: "sluice_key_",
  access_token: "sluice_token_",
  operator_link: "sluice_link_",
  operator_session: "sluice_session_",
} as const;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretCharacters = 43;
const checksumCharacters = 6;

/** A new secret of 256 random bits, e.g. `sluice_key_<43 characters><6 of checksum>`. */
export function makeCredential(kind: SecretKind): string {
  const random = BigInt(`0x${randomBytes(32).toString("hex")}`);
  const body = prefixes[kind] + base62(random, secretCharacters);
  return body + checksum(body);
}

/** The kind according to prefix, length and checksum; undefined if this service can't have made the text. */
export function credentialKind(text: string): CredentialKind | undefined {
  for (const kind of ["access_token", "api_key"] as const) {
    const prefix = prefixes[kind];
    const length = prefix.length + secretCharacters + checksumCharacters;
    if (text.length !== length || !text.startsWith(prefix)) continue;
    const body = text.slice(0, -checksumCharacters);
    return text.endsWith(checksum(body)) ? kind : undefined;
  }
  return undefined;
}

export function hashSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}

/** An identifier, which is not secret, e.g. `key_4fQ…`: 95 random bits. */
export function makeId(prefix: string): string {
  return `${prefix}_${base62(BigInt(`0x${randomBytes(12).toString("hex")}`), 17).slice(-16)}`;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumCharacters);
}

function base62(value: bigint, characters: number): string {
  let text = "";
  for (let rest = value; text.length < characters; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
