// What the handler of a page knows of its request: who asks, and what was sent. Bodies are small forms, or small JSON.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../../actions/app.ts";
import { AppError } from "../../domain/error.ts";
import { isStorable } from "../../domain/schema/formats.ts";
import type { OperatorRight } from "../../domain/operator-right.ts";
import type { Operator, OperatorSession } from "../../domain/operator.ts";
import { parseJson } from "../../http/body/parse-json.ts";
import { readSmallBody } from "../../http/body/read-body.ts";
import type { Uploads } from "../../bulk/upload/uploads.ts";
import type { HttpContext } from "../../http/http-context.ts";
import type { Answer } from "../../http/reply/reply.ts";
import type { IntakeHistory } from "../../metrics/history.ts";
import type { RefusalHistory } from "../../metrics/refusals.ts";
import type { Snapshot } from "../../metrics/snapshot.ts";
import type { EventStreams } from "./event-streams.ts";
import type { OpenId } from "../sign-in/openid/provider.ts";
import type { Origin } from "../sign-in/origin.ts";

/** What the pages show besides the store. */
export interface ConsoleSources {
  readonly history: Pick<IntakeHistory, "read">;
  readonly refusals: Pick<RefusalHistory, "read">;
  readonly uploads: Uploads;
  readonly streams: EventStreams;
  readonly process: ProcessFacts;
  /** Undefined without OIDC_ISSUER. */
  readonly openId: OpenId | undefined;
}

/** About the process that answers. */
export interface ProcessFacts {
  readonly version: string;
  readonly node: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** The settings in the order of the table, without secrets. */
  readonly settings: readonly {
    readonly name: string;
    readonly value: string;
    readonly isDefault: boolean;
    readonly summary: string;
  }[];
  readonly readMetrics: () => Promise<Snapshot>;
}

/** A person who may have signed in. */
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

/** A person who has signed in. */
export interface Person extends Visitor {
  /** Acts under the name of this person, and within the rights. */
  readonly app: App;
  readonly operator: Operator;
  readonly session: OperatorSession;
}

interface Place {
  readonly method: "GET" | "POST";
  /** Contains `/:id` where a part of the path is open. */
  readonly path: `/console${string}`;
  /** True for a request whose body may take longer than others: its handler bounds the time. */
  readonly lasting?: boolean;
}

/** Resolves to undefined if the handler has sent the reply itself. */
type Answered = Promise<Answer | undefined>;

/** Needs no session. */
type OpenRoute = Place & {
  readonly open: true;
  readonly handle: (visitor: Visitor) => Answered;
};

/** `right`: what the role of the person has to allow; `own` for pages of the person's own account. */
export type PersonalRoute = Place & {
  readonly open?: never;
  readonly right: OperatorRight | "own";
  readonly handle: (person: Person) => Answered;
};

export type Route = OpenRoute | PersonalRoute;

/** Reads a form. Throws AppError content_type, too_large and validation_failed. */
export async function readForm({ request }: Pick<Visitor, "request">): Promise<URLSearchParams> {
  requireType(request.headers, "application/x-www-form-urlencoded");
  return requireStorable(new URLSearchParams((await readSmallBody(request.raw)).toString("utf8")));
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
