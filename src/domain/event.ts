// The events that leave the service for the collector of a security team, as data: entries of the audit trail, and
// refusals, which are only counted. docs/reference/events.md is generated from these tables. An event never has
// content, a reason, a secret, or the id of a record or a digest of it: not even the hash of the entry, by which an id
// could be guessed.

interface TrailEvent {
  readonly summary: string;
  /** The kind of the entry's subject; missing if it names a record, because that is not sent. */
  readonly subject?: string;
  /** The fields of the detail that are sent. */
  readonly detail?: readonly string[];
}

function entry(summary: string, subject?: string, ...detail: readonly string[]): TrailEvent {
  return { summary, detail, ...(subject === undefined ? {} : { subject }) };
}

const organization = "the organization";
const key = "the API key";
const rule = "the rule for identities of programs";
const endpoint = "the endpoint";
const recipient = "the name of the recipient";
const deletion = "the deletion request";
const set = "the restricted set";
const proposal = "the proposal";
const operator = "the name of the operator";
const receiptKey = "the public key";
const store = "the store";

/** The keys are the actions of audit entries; no entry with another action can be written. */
export const trailEvents = {
  "organization.create": entry("An organization was created.", organization),
  "organization.change": entry("The settings of an organization were changed.", organization),
  "organization.close": entry("An organization was closed.", organization),
  "key.create": entry("An API key was created.", key, "scopes"),
  "key.rotate": entry("An API key was rotated.", key, "successor"),
  "key.revoke": entry("An API key was revoked.", key),
  "identity.create": entry("A rule for identities of programs was created.", rule, "scopes"),
  "identity.rotate": entry("A rule for identities was replaced.", rule, "successor"),
  "identity.revoke": entry("A rule for identities was revoked.", rule),
  "webhook.create": entry("An endpoint of webhooks was created.", endpoint),
  "webhook.rotate": entry("The secret of an endpoint was rotated.", endpoint),
  "webhook.test": entry("A test event was requested.", endpoint),
  "webhook.enable": entry("An endpoint was enabled, or continues elsewhere.", endpoint),
  "webhook.disable": entry("An endpoint was disabled after failures.", endpoint),
  "webhook.remove": entry("An endpoint was removed.", endpoint),
  "recipient.create": entry("A recipient of changes was registered.", recipient),
  "recipient.remove": entry("A recipient of changes was removed.", recipient),
  "record.show": entry("The content of a record was shown."),
  "records.export": entry("Records of an organization were exported.", organization),
  "records.import": entry("Records were imported.", organization),
  "subject.show": entry("A person or a company was looked up."),
  "subject.export": entry("Everything on a person or a company was exported."),
  "subject.find": entry("Persons or companies were searched for.", organization),
  "subject.answer": entry("An inquiry about a person or a company was answered."),
  "subject.index": entry("The index of persons is made again.", store),
  "deletion.request": entry("A deletion was requested.", deletion),
  "deletion.approve": entry("A deletion was approved.", deletion),
  "deletion.cancel": entry("A deletion was cancelled.", deletion),
  "deletion.start": entry("A deletion has begun.", deletion),
  "deletion.complete": entry("A deletion was completed.", deletion, "receiptNo"),
  "deletion.reopen": entry("A deletion is replayed after a restore.", deletion),
  "hold.place": entry("A legal hold was placed.", undefined, "holdId"),
  "hold.release": entry("A legal hold was released.", undefined, "holdId"),
  "retention.set": entry("The retention of a type was set.", organization),
  "retention.remove": entry("The retention of a type was removed.", organization),
  "restricted.list": entry("Restricted sets were listed.", organization),
  "restricted.show": entry("A restricted set was shown.", set),
  "restricted.export": entry("A restricted set was exported.", set),
  "proposal.create": entry("An act was proposed to a second person.", proposal, "act"),
  "proposal.approve": entry("A proposed act was approved.", proposal, "act"),
  "proposal.decline": entry("A proposed act was declined.", proposal, "act"),
  "proposal.expire": entry("A proposal has expired.", proposal, "act"),
  "proposal.bypass": entry("An act was done without a second person.", organization, "act"),
  "receipt.disclose": entry("The numbers of a receipt were disclosed.", deletion),
  "receipt.export": entry("Receipts were exported.", store),
  "receipt_key.create": entry("Receipts are signed with a new key.", receiptKey),
  "receipt_key.retire": entry("A key of receipts was replaced.", receiptKey),
  "export.manifest": entry("The manifest of an export was signed.", "the export"),
  "audit.export": entry("The audit trail was exported.", store),
  "operator.create": entry("An operator was created.", operator, "roles"),
  "operator.confirm": entry("An officer was confirmed.", operator),
  "operator.roles": entry("The roles of an operator have changed.", operator, "roles"),
  "operator.disable": entry("An operator was disabled.", operator),
  "operator.link": entry("A sign-in link was created.", operator),
  "operator.sign_in": entry("An operator has signed in.", operator, "method", "sessionId"),
  "operator.session_end": entry("A session has ended.", operator, "sessionId"),
  "operator.passkey_add": entry("A passkey was added.", operator),
  "operator.passkey_remove": entry("A passkey was removed.", operator),
  "store.backup": entry("A backup was made.", store),
  "store.restore": entry("The store was restored from a backup.", store),
  "store.replay": entry("The deletions since a backup were replayed.", store),
  "store.move": entry("The store was moved to PostgreSQL.", store),
} as const satisfies Readonly<Record<string, TrailEvent>>;

export type TrailAction = keyof typeof trailEvents;

/** The verbs of the actions, by kind of object. */
export type VerbOn<Kind extends string> = TrailAction extends infer Action
  ? Action extends `${Kind}.${infer Verb}`
    ? Verb
    : never
  : never;

/** What the trail does not record, because anybody could flood it: a process sends only how often it happened. */
export const securityEvents = {
  "authentication.failed": {
    summary: "A credential was missing or wrong, or a sign-in to the console failed.",
    by: "where: `api`, `console` or `metrics`",
  },
  "limit.exceeded": {
    summary: "A request was answered 429.",
    by: "the limit, as in the metric `sluice_rate_limited_total`",
  },
  "right.refused": {
    summary: "A caller lacked a scope, or an operator a right.",
    by: "where: `api` or `console`; without what concerns confidential types",
  },
} as const;

export type SecurityEvent = keyof typeof securityEvents;

/** The kinds of receivers; at most one receiver of each kind. */
export const eventDestinations = ["otlp", "syslog"] as const;
export type EventDestination = (typeof eventDestinations)[number];

export type OutValue = string | number | readonly string[];

/** What is sent. Fields that are undefined are left out. */
export interface OutEvent {
  readonly name: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly isWarning: boolean;
  readonly fields: Readonly<Record<string, OutValue | undefined>>;
}
