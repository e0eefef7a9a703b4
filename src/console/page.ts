// What every page needs: who asks and what was sent, and the replies. Bodies are small forms, or small JSON. Contains
// no page of its own.

import type { FastifyReply, FastifyRequest } from "fastify";
import { findOrganizationId, listOrganizations } from "../actions/access/find-organization.ts";
import { findKeyName } from "../actions/access/keys.ts";
import type { App } from "../actions/app.ts";
import { countedMax, type countWaiting } from "../actions/deletion/list-deletions.ts";
import type { Viewer } from "../actions/operator/viewer.ts";
import type { HealthChecks } from "../actions/upkeep/read-health.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { AppError } from "../domain/error.ts";
import type { RecordKey } from "../domain/record/record-write.ts";
import { isStorable } from "../domain/schema/formats.ts";
import type { OperatorRight } from "../domain/operator-right.ts";
import type { Operator, OperatorSession } from "../domain/operator.ts";
import { parseJson } from "../http/body/parse-json.ts";
import { readSmallBody } from "../http/body/read-body.ts";
import type { HttpContext } from "../http/http-context.ts";
import type { Answer } from "../http/reply/reply.ts";
import type { IntakeHistory } from "../metrics/history.ts";
import type { ProcessFigures } from "../metrics/metrics.ts";
import type { OpenId } from "./sign-in/openid/provider.ts";
import type { Origin } from "./sign-in/origin.ts";
import { type PageView, type Reader, renderPage } from "./frame/frame.ts";
import type { Task } from "./frame/screens.ts";
import type { Figure, Html, HtmlValue } from "./html/html.ts";
import { nameKeys, nameOrganizations } from "./html/party.ts";
import type { ArrivingForms } from "./request/arriving-forms.ts";
import { pageHeaders } from "./request/headers.ts";
import { rateLimited } from "../http/rate-limit/rate-limit.ts";

/** What a feature shows on pages of the core. */
export interface Panels {
  readonly organization?: (person: Person) => Promise<HtmlValue>;
  /** On the page that finds a record by its id. */
  readonly find?: (person: Person) => Promise<HtmlValue>;
  /** What can be asked about a person or a company that was found, or whose id is known. */
  readonly party?: (person: Person, found?: FoundParty) => HtmlValue;
  /** Links beside the state on the page of a deletion. */
  readonly deletion?: (person: Person, deletion: Deletion) => Promise<HtmlValue>;
  /** Links beside the other actions on the page of a record. */
  readonly record?: (person: Person, key: RecordKey) => HtmlValue;
  /** A figure of the overview that needs attention; undefined if there is nothing to see. */
  readonly overview?: (person: Person) => Promise<Figure | undefined>;
  /** A part of the intake page. */
  readonly intake?: (person: Person) => Promise<HtmlValue>;
  readonly health?: HealthChecks;
}

export interface FoundParty {
  readonly key: RecordKey;
  /** Why it was searched for, and by which name. */
  readonly reason: string;
  readonly name: string | undefined;
  /** "exact", "partial", "former", "similar", or "other" if it was found by something else; of no name undefined. */
  readonly match: string | undefined;
}

/** What the features with this panel show in it. */
export function readPanels<Shown>(
  person: Person,
  panelOf: (panels: Panels) => ((person: Person) => Promise<Shown>) | undefined,
): Promise<readonly Shown[]> {
  const reads = person.sources.panels.map(panelOf).filter((read) => read !== undefined);
  return Promise.all(reads.map((read) => read(person)));
}

/** What a feature has opened for its pages in this process. */
export function openedOf<Opened extends object>(
  { sources }: Pick<Visitor, "sources">,
  kind: abstract new (...args: never[]) => Opened,
): Opened {
  const found = sources.opened.find((one): one is Opened => one instanceof kind);
  if (found === undefined) throw new TypeError(`no ${kind.name} is open`);
  return found;
}

export interface ConsoleSources {
  readonly tasks: readonly Task[];
  readonly panels: readonly Panels[];
  /** What each action of the audit trail says. */
  readonly actions: Readonly<Record<string, string>>;
  readonly history: Pick<IntakeHistory, "read">;
  readonly forms: ArrivingForms;
  /** What features have opened (`openedOf`). */
  readonly opened: readonly object[];
  readonly process: ProcessFacts;
  /** Undefined without OIDC_ISSUER. */
  readonly openId: OpenId | undefined;
}

export interface ProcessFacts {
  readonly version: string;
  readonly node: string;
  readonly startedAt: number;
  readonly readFigures: () => ProcessFigures;
}

export interface Visitor {
  readonly context: HttpContext;
  readonly sources: ConsoleSources;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly origin: Origin;
  readonly query: URLSearchParams;
  /** The part of the path that the route leaves open, decoded. */
  readonly id: string;
}

export interface Person extends Visitor {
  /** Acts under the name of this person, and within the person's rights. */
  readonly app: App & { readonly viewer: Viewer };
  readonly operator: Operator;
  readonly session: OperatorSession;
  /** The organization in which this person works, as chosen at the top of each page; undefined for all of them. */
  readonly organization: string | undefined;
  /** What this person may approve there; counted once for a page and its frame. */
  readonly waiting: () => ReturnType<typeof countWaiting>;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

interface RouteAddress {
  readonly method: "GET" | "POST";
  /** Contains `/:id` if a part of the path is variable. */
  readonly path: ConsolePath;
  /** True for a request whose body may take longer than others: its handler bounds the time. */
  readonly lasting?: boolean;
}

type ConsolePath = `/console${string}`;

/** A page, the path of the page that follows, another answer, or undefined if the handler has sent the reply itself. */
export type Next = PageView | ConsolePath | Answer | undefined;

type OpenRoute = RouteAddress & {
  readonly open: true;
  readonly handle: (visitor: Visitor) => Promise<Next>;
};

/** `right`: what the role of the person has to allow; `own` for pages of the person's own account. */
export type PersonalRoute = RouteAddress & {
  readonly open?: never;
  readonly right: OperatorRight | "own";
  readonly handle: (person: Person) => Promise<Next>;
  /** Shown again if the form is refused; without it, a page with only the message is the reply. */
  readonly page?: ((person: Person) => Promise<Next>) | undefined;
};

export type Route = OpenRoute | PersonalRoute;

/** Reads a form. Throws AppError content_type, too_large and validation_failed. */
export async function readForm({ request }: Pick<Visitor, "request">): Promise<URLSearchParams> {
  requireType(request.headers, "application/x-www-form-urlencoded");
  const text = (await readSmallBody(request.raw)).toString("utf8");
  return keepForm({ request }, requireStorable(new URLSearchParams(text)));
}

/** Puts the id where a person has entered the name of an organization. */
export async function withIds(
  { app }: Pick<Person, "app">,
  fields: URLSearchParams,
): Promise<URLSearchParams> {
  const given = fields.get("organization");
  if (given !== null) fields.set("organization", await findOrganizationId(app, given));
  return fields;
}

const forms = new WeakMap<FastifyRequest, URLSearchParams>();

/** Keeps what was sent, so that a refused form can be shown again with it. */
export function keepForm(
  { request }: Pick<Visitor, "request">,
  form: URLSearchParams,
): URLSearchParams {
  forms.set(request, form);
  return form;
}

export function sentForm({ request }: Pick<Visitor, "request">): URLSearchParams | undefined {
  return forms.get(request);
}

/** Returns the text unchanged. Throws AppError validation_failed if no store can hold it. */
export function requireStorable<Fields extends Iterable<readonly [string, string]>>(
  fields: Fields,
): Fields {
  for (const [name, value] of fields) {
    if (isStorable(name) && isStorable(value)) continue;
    const field = isStorable(name) ? `The field "${name}"` : "The name of a field";
    throw new AppError("validation_failed", {
      message: `${field} has a character that can't be stored (U+0000, or half of a pair). Remove it, and send it again.`,
    });
  }
  return fields;
}

/** Throws AppError content_type, too_large and malformed_json. */
export async function readJsonBody({ request }: Pick<Visitor, "request">): Promise<unknown> {
  requireType(request.headers, "application/json");
  return parseJson(await readSmallBody(request.raw));
}

/** Throws AppError content_type. */
export function requireType(headers: FastifyRequest["headers"], expected: string): void {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() === expected) return;
  throw new AppError("content_type", { message: `Send the body as ${expected}.` });
}

/** `person`: who has signed in. */
export async function answerOf(
  person: Person | undefined,
  next: Next,
): Promise<Answer | undefined> {
  if (typeof next === "string") return redirectTo(next);
  return next !== undefined && "title" in next ? showPage(person, next) : next;
}

export async function showPage(person: Person | undefined, view: PageView): Promise<Answer> {
  const answer = pageAnswer(renderPage(view, person && (await readerOf(person))), view);
  if (person === undefined) return answer;
  const { app } = person;
  const body = await nameOrganizations(answer.body, () => listOrganizations(app));
  return { ...answer, body: await nameKeys(body, (id) => findKeyName(app, id)) };
}

async function readerOf(person: Person): Promise<Reader> {
  const { app, operator, organization, request, sources } = person;
  const { tasks } = sources;
  const shown = request.method === "GET" ? request.url.replace(/\?.*/, "") : undefined;
  const { deletions, proposals } = await person.waiting();
  const waiting = {
    "/console/deletions": { query: "?wait=mine", count: formatCounted(deletions) },
    "/console/proposals": { query: "", count: formatCounted(proposals) },
  };
  return { operator, organization, tasks, shown, now: app.now(), waiting };
}

export function formatCounted(count: number): string {
  return count > countedMax ? `${countedMax}+` : String(count);
}

// Replies of the console: pages, redirects and JSON.

interface AnswerOptions {
  readonly status?: number;
  readonly cookie?: string | undefined;
}

export function pageAnswer(
  page: Html,
  { status = 200, cookie }: AnswerOptions = {},
): Answer & { readonly body: string } {
  return {
    status,
    body: page.text,
    contentType: "text/html; charset=utf-8",
    headers: withCookie(cookie),
  };
}

/** For a reply after a change, so that reloading the next page does not repeat the change. */
export function redirectTo(path: ConsolePath, cookie?: string): Answer {
  return { status: 303, body: undefined, headers: { ...withCookie(cookie), location: path } };
}

export function jsonReply(body: object, { status = 200, cookie }: AnswerOptions = {}): Answer {
  return { status, body: JSON.stringify(body), headers: withCookie(cookie) };
}

function withCookie(cookie: string | undefined): Record<string, string> {
  return cookie === undefined ? pageHeaders : { ...pageHeaders, "set-cookie": cookie };
}

// Limits attempts to sign in, by address. Every attempt counts, whether or not it succeeds.

/** Throws AppError rate_limited. */
export async function requireAttempt({ context, request }: Visitor): Promise<void> {
  const limited = context.rates.signIn(request.ip);
  if (limited.allowed) return;
  context.onRateLimited("sign-in");
  throw rateLimited(limited);
}
