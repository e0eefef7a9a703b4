// What people without the right to learn of confidential records see of a store: every page of the console, every
// command, and the figures of deletions that everybody may read. What differs by chance is left out.

import { join } from "node:path";
import { writeFileSync } from "node:fs";
import type { App } from "../../src/actions/app.ts";
import { type Command, type Parameter } from "../../src/cli/command.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { routes } from "../../src/process/console-routes.ts";
import { isPartyType } from "../../src/domain/deletion/party.ts";
import { type OperatorRole, operatorRoles } from "../../src/domain/operator.ts";
import { mayDo } from "../../src/domain/operator-right.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { commandsWith } from "../feature/samples.ts";
import { read, submit } from "../console/browse.ts";
import { placeOf } from "../support/offset-place.ts";
import type { Random } from "../support/random.ts";
import type { Service } from "../support/service.ts";
import type { World } from "./world.ts";

const { commands } = await loadTable();

/** One of the two stores, with what happens in it. */
export interface Twin {
  readonly service: Service;
  readonly worlds: readonly World[];
  /** By role: the cookie of a session. */
  readonly cookies: ReadonlyMap<OperatorRole, string>;
  readonly environment: Readonly<Record<string, string>>;
  /** What commands act on instead. */
  readonly wrapApp?: ((app: App) => App) | undefined;
}

export interface View {
  readonly name: string;
  readonly text: string;
}

/** Which commands are not compared, and why. */
export const apart: Readonly<Record<string, string>> = {
  serve: "does not end",
  migrate: "needs a store that nobody serves",
  backup: "copies the whole store",
  restore: "puts another store in its place",
  "organization create": "would create another organization with each role",
  ...commandsWith("incomparable"),
};

const mayNotKnow = operatorRoles.filter((role) => !mayDo([role], "confidential.read"));

export async function* viewsOf(twin: Twin, random: Random): AsyncGenerator<View> {
  for (const role of mayNotKnow) yield* pagesOf(twin, role, random);
  yield* answersOf(twin, random);
  yield* metricsOf(twin);
  for (const role of operatorRoles) yield* commandsOf(twin, role, random);
}

const records = [
  ["person", "person-0"],
  ["person", "person-1"],
  ["company", "company-0"],
  ["transaction", "transaction-0"],
  ["transaction", "transaction-1"],
  ["customer_sar", "customer_sar-0"],
  ["transaction_suspicious_activity", "transaction_suspicious_activity-1"],
] as const;

/** Ids of deletions, and of what might be named after them. */
function idsOf(world: Twin["worlds"][number]): readonly string[] {
  const { organizationId, deletionIds } = world;
  return [organizationId, ...deletionIds, ...deletionIds.map((id) => `restricted/${id}`)];
}

async function* pagesOf(twin: Twin, role: OperatorRole, random: Random): AsyncGenerator<View> {
  let address = 0;
  for (const route of routes) {
    if (route.method !== "GET" || route.open === true) continue;
    const paths = route.path.includes(":id")
      ? twin.worlds.flatMap((world) =>
          idsOf(world).map((id) => route.path.replace(":id", encodeURIComponent(id))),
        )
      : ["", ...twin.worlds.map((world) => queryOf(world.organizationId, random))].map(
          (query) => `${route.path}${query}`,
        );
    for (const [no, path] of paths.entries()) {
      // The requests of a minute from one address are limited.
      address += 1;
      const headers = { "x-forwarded-for": `10.${role.length}.${address >> 8}.${address & 255}` };
      const cookie = twin.cookies.get(role);
      const { status, text } = await read(twin.service.client, path, { cookie, headers });
      // The rest of it shows the process and the size of the store to those who operate it.
      const [intake = text] = /Changes stored in.*Duration of requests/s.exec(text) ?? [];
      yield { name: `${role} ${route.path} ${no}`, text: `${status} ${withoutChance(intake)}` };
    }
  }
}

/** What an officer prints for somebody else has no trace of them either. */
async function* answersOf(
  { service, worlds, cookies }: Twin,
  random: Random,
): AsyncGenerator<View> {
  for (const [no, { organizationId }] of worlds.entries()) {
    const [type, id] = random.pick(records.filter(([name]) => isPartyType(name)));
    const form = { organization: organizationId, type, id, reason: "inquiry" };
    const headers = { "x-forwarded-for": `10.99.0.${no}` };
    const sent = { cookie: cookies.get("officer"), headers, form };
    const { status, text } = await submit(service.client, "/console/subjects/answer", sent);
    yield { name: `officer answer ${no}`, text: `${status} ${withoutChance(text)}` };
  }
}

/** Pages take from it what they know. */
function queryOf(organizationId: string, random: Random): string {
  const [type, id] = random.pick(records);
  const more = random.pick([{}, { type, id }, { type, id }, { of: "customer_sar", type, id }]);
  return `?${new URLSearchParams({ organization: organizationId, ...more }).toString()}`;
}

async function* metricsOf({ service }: Twin): AsyncGenerator<View> {
  const { text } = await service.client.send({ method: "GET", path: "/metrics" });
  const lines = text
    .split("\n")
    .filter((line) => /^sluice_(deletion|records|recipients|webhook)/.test(line));
  // The service knows the time only from the clock of the machine here.
  const known = lines.filter((line) => !line.startsWith("sluice_deletion_oldest"));
  yield { name: "metrics", text: known.join("\n") };
}

async function* commandsOf(twin: Twin, role: OperatorRole, random: Random): AsyncGenerator<View> {
  const { service, environment, wrapApp } = twin;
  const { folder, clock } = service;
  const line = makeCommandLine({ folder, environment, now: clock.now, wrapApp });
  const file = join(service.folder, "input.json");
  writeFileSync(file, "{}");
  for (const command of commands) {
    if (Object.hasOwn(apart, command.name)) continue;
    // Others of those who may know name what is confidential, or are on the whole store.
    const isShared = Object.hasOwn(command.options, "includeConfidential");
    if (!mayNotKnow.includes(role) && !isShared) continue;
    const world = random.pick(twin.worlds);
    const [type, id] = random.pick(records);
    const deletion = random.pick(idsOf(world).slice(1).concat("del_none"));
    const { organizationId } = world;
    const words = wordsOf(command, { type, id, deletion, file, organizationId });
    const json = random.chance(0.5) ? ["--json"] : [];
    const { code, out, err } = await line.type(command.name, ...words, "--as", role, ...json);
    const text = withoutChance(`${code} ${out} ${err}`.replaceAll(service.folder, "<folder>"));
    yield { name: `${role} ${command.name}`, text };
  }
}

interface Given {
  readonly organizationId: string;
  readonly type: string;
  readonly id: string;
  readonly deletion: string;
  readonly file: string;
}

function wordsOf({ name, arguments: positional, options }: Command, given: Given): string[] {
  const isOfRecord = Object.hasOwn(positional, "type") || Object.hasOwn(positional, "what");
  const valueOf = ({ placeholder, values }: Parameter<unknown>, isArgument: boolean): string => {
    if (placeholder === "ID") return isArgument && isOfRecord ? given.id : given.organizationId;
    if (placeholder.includes("TYPE")) return given.type;
    if (placeholder === "DELETION_REQUEST_ID") return given.deletion;
    if (placeholder === "FILE") return given.file;
    if (placeholder === "FOLDER") return `${given.file}.${name.replace(" ", "-")}.${given.id}`;
    if (placeholder === "N") return "30";
    return values?.[0] ?? "none";
  };
  return [
    ...Object.values(positional).map((parameter) => valueOf(parameter, true)),
    ...Object.entries(options)
      .filter(([option, { required }]) => required || option === "organization")
      .flatMap(([option, parameter]) => [optionFlag(option), valueOf(parameter, false)]),
  ];
}

/**
 * Ids, secrets, hashes and signatures are random. How fast the machine is decides in which minute of a chart something
 * is counted; the totals beside it are compared.
 */
export function withoutChance(text: string): string {
  return (
    text
      .replaceAll(/<figure class="chart">.*?<\/figure>/gs, "<figure>")
      .replaceAll(/ data-now="[^"]*"/g, "")
      .replaceAll(/\bstore_[0-9a-f]{24}\b/g, "<store>")
      .replaceAll(/\b(del|hold|key|op|ses|imp|rec|exp)_[0-9A-Za-z]{8,}/g, "<$1>")
      .replaceAll(/\bsluice_[0-9A-Za-z_]{16,}/g, "<secret>")
      .replaceAll(/\berased_[0-9a-f]{32}\b/g, "<pseudonym>")
      .replaceAll(/\bwhe_[0-9A-Za-z]{16}\b/g, "<endpoint>")
      .replaceAll(/\bwhpk_[0-9A-Za-z+/]{43}=/g, "<public key>")
      .replaceAll(
        /"(removed|kept|references_removed|previous_receipt|salt|signature)": ?"[^"]*"/g,
        '"$1"',
      )
      .replaceAll(/(name="digest" value=)"[0-9a-f]{32}"/g, "$1")
      .replaceAll(/"id":"[0-9a-f]{32}"/g, '"id"')
      // The hidden part of an offset; its place is compared.
      .replaceAll(/\b[0-9a-f]{51}\b/g, (offset) => `${placeOf(offset)}<hidden>`)
      .replaceAll(randomText, "<random>")
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}/g, "<uuid>")
  );
}

/** It may begin or end with a hyphen, where there is no word boundary. */
const randomText = /(?<![0-9A-Za-z_-])[0-9A-Za-z_-]{40,}/g;
