// The words of the document that depend on a record type or an operation: names, nouns, summaries, descriptions.

import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { allScopes, coveredScopes } from "../../domain/scope.ts";
import { limits } from "../../domain/limits.ts";
import { type Operation, scopesOf, type Verb } from "../operation.ts";

export interface Wording {
  readonly summary: string;
  readonly description: string;
}

export function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** `TransactionCheck` for `transaction_check`. */
export function componentName({ resourceType }: RecordType): string {
  return resourceType.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function describe(operation: Operation): Wording {
  const { summary, description } = wordings[operation.verb](operation);
  const scope = scopeSentence(operation);
  return { summary, description: [description, scope].filter((part) => part !== "").join("\n\n") };
}

const wordings: Readonly<Record<Verb, (operation: Operation) => Wording>> = {
  "issue token": ({ path }) => ({
    summary: path.startsWith("/v2")
      ? "Request an access token (v2 path)"
      : "Request an access token",
    description:
      "Exchanges the API key for an access token that lives as long as was asked for, but never longer than the key; " +
      "`expiry` says until when. The key is the whole value of " +
      "`Authorization`, without `Bearer`; an access token can't be used to get another. The key belongs to one " +
      "organization, and asking for another is 403 whether or not it exists. At most " +
      `${limits.tokenRequestsPerMinute} requests a minute for each key. \`/auth/token\` and \`/v2/auth/token\` are the ` +
      "same operation.",
  }),
  "check record": (operation) => ({
    summary: `Check if ${oneRecord(operation)} exists`,
    description:
      "Answers with the earliest and the latest `timestamp` among all that was sent about it. What belongs to another " +
      "organization is answered exactly as what does not exist.",
  }),
  "add records": (operation) => ({
    summary: `Add ${oneOrMany(operation)}`,
    description:
      "An id that exists already is 409, with `code` telling an identical record (40901) from a different one (40902)." +
      listSentences(operation),
  }),
  "append records": ({ type }) => ({
    summary: `Add ${recordNoun(type)} records in batch`,
    description:
      "Unlike a single POST, this records a further change of what exists already and skips an identical one, so that " +
      `a batch can be sent again safely; \`write_count\` counts what was written.${listWays}`,
  }),
  "update records": (operation) => ({
    summary:
      operation.body === "list"
        ? `Update ${recordNoun(operation.type)} records in batch`
        : `Update ${oneOrMany(operation)}`,
    description:
      "Only the id and `timestamp` are required. Fields that are left out stay as they are; `null` clears an optional " +
      "field. An id that does not exist is 404." +
      listSentences(operation),
  }),
  "request deletion": (operation) => ({
    summary: `Request the deletion of ${oneRecord(operation)}`,
    description: `${deletionSentences} Where a DELETE can't carry a body, use \`POST /v2/deletion_request\`.`,
  }),
  "request deletion by type": () => ({
    summary: "Request the deletion of a record",
    description: `Stands for the DELETE of the type, for clients and proxies that can't send a body with it. ${deletionSentences}`,
  }),
  "read deletion": () => ({
    summary: "Read the status of a deletion request",
    description:
      "`pending`, `processing`, `completed`, or `cancelled` by the operator. Completed means verified: the service looked " +
      "again and found nothing. There is no failed state; what fails is tried again until it is done.",
  }),
};

const deletionSentences =
  "Queues the permanent deletion of the record and all that belongs to it, and answers at once: nothing is removed by " +
  "then. While a deletion is open, asking again gives the same `deletion_request_id`, and writes to the record are 409.";

const listWays =
  " A list is all or nothing: if one item is refused, nothing is written and `errors` names every field at fault, such " +
  "as `[3].timestamp`. With `Prefer: handling=lenient` each item stands alone, and `results` tells what became of it. " +
  "As `application/x-ndjson`, a record a line and of any length, each item stands alone too.";

function listSentences({ body }: Operation): string {
  return body === "one" ? "" : listWays;
}

function recordNoun(type: RecordType | undefined): string {
  return type === undefined ? "record" : nounOf(type);
}

function oneRecord({ type }: Operation): string {
  return withArticle(recordNoun(type));
}

function oneOrMany(operation: Operation): string {
  return operation.body === "either"
    ? `${oneRecord(operation)} or a list of them`
    : oneRecord(operation);
}

/** Which scopes will do, worked out from what each of them covers. */
function scopeSentence(operation: Operation): string {
  const wanted = scopesOf(operation).map((scope) => {
    const others = allScopes.filter(
      (other) => other !== scope && coveredScopes([other], false).has(scope),
    );
    const included = others.map((other) => `\`${other}\``).join(" and ");
    return included === "" ? `\`${scope}\`` : `\`${scope}\` (included in ${included})`;
  });
  if (wanted.length === 0) return "";
  const which = operation.type === undefined ? ", whichever the type of the record asks for" : "";
  return `Scope: ${wanted.join(", ")}${which}.`;
}
