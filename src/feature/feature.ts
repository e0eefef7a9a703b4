// What a feature may add to the service. A feature is a folder, and features.ts lists it, parts.ts what it has in the
// store; nothing outside its folder names it (docs/decisions/0076-features-as-folders.md).
//
// Each part is a module that is loaded where it is needed: a command loads no pages, and a service that serves no
// console loads none either.

import type { App } from "../actions/app.ts";
import type { OperatorErrorRow } from "../actions/operator/operator-error.ts";
import type { DerivedIndex } from "../actions/upkeep/build-indexes.ts";
import type { Named } from "../basics/name-rows.ts";
import type { Command } from "../cli/command.ts";
import type { Screen } from "../console/frame/screens.ts";
import type { Panels, Route } from "../console/page.ts";
import type { ErrorRow } from "../domain/error.ts";
import type { Right } from "../domain/operator-right.ts";
import type { BulkClient } from "../http/bulk/bulk-client.ts";
import type { TraceRequest } from "../http/http-context.ts";
import type { MemoryBudget } from "../http/load/memory-budget.ts";
import type { Grant, Operation } from "../http/operation.ts";
import type { PublicRoute } from "../http/public/public-route.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics/registry.ts";
import type { Config } from "../settings/config.ts";
import type { Setting } from "../settings/setting.ts";
import type { SealReceipt } from "../store/interface/deletion.ts";
import type { GroupFigures, Store } from "../store/interface/store.ts";
import type { Rounds } from "../worker/upkeep.ts";

export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  readonly settings?: readonly Setting<unknown>[];
  readonly rows?: AddedRows;
  readonly commands?: CommandSource;
  readonly http?: () => Promise<HttpPart>;
  readonly console?: () => Promise<ConsolePart>;
  readonly service?: () => Promise<ServicePart>;
  readonly index?: () => Promise<{ readonly index: DerivedIndex }>;
}

/** What the feature adds to tables of the core. */
export interface AddedRows {
  readonly errors?: Readonly<Record<string, Named<ErrorRow>>>;
  readonly operatorErrors?: Readonly<Record<string, Named<OperatorErrorRow>>>;
  readonly rights?: Readonly<Record<string, Named<Right>>>;
  /** Actions of entries of the audit trail. */
  readonly actions?: Readonly<Record<string, Named<{ readonly summary: string }>>>;
  /** Bounds that a client can reach. */
  readonly limits?: readonly (readonly [what: string, value: number, beyond: string])[];
}

export interface CommandSource<Part = CommandPart> {
  /** The first words of its commands; only a command line that begins with one of them loads the part. */
  readonly words: readonly string[];
  readonly load: () => Promise<Part>;
}

export interface CommandPart {
  /** The part of the help in which the commands are. */
  readonly heading: string;
  /** A summary for the first word of commands with two words. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
}

export interface HttpPart {
  readonly operations?: readonly Operation[];
  /** Without an access token. */
  readonly publicRoutes?: readonly PublicRoute[];
  /** Parts of the OpenAPI document in which the operations are. */
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  /** Ways to get an access token. */
  readonly grants?: readonly Grant[];
}

export interface ConsolePart {
  readonly routes?: readonly Route[];
  /** In the navigation, under the task of this name. */
  readonly screens?: readonly (Screen & { readonly task: string })[];
  readonly panels?: Panels;
}

/** What a serving process does for the feature. */
export interface ServicePart {
  /** Registers its metrics, whatever is set. Undefined if the settings turn everything else off. */
  readonly open: (parts: ServiceParts) => Promise<OpenService | undefined>;
}

export interface ServiceParts {
  readonly config: Config;
  readonly registry: Registry;
  /** The application, which is opened before the first snapshot of the metrics. */
  readonly app: () => App;
  readonly log: Logger;
  /** Milliseconds of a clock that nobody can set. */
  readonly monotonic: () => number;
  readonly version: string;
  /** What a test replaces. */
  readonly replaced?: unknown;
}

export interface OpenService {
  /** At most one feature may have one. */
  readonly observer?: Observer;
  /** Rounds that take something away because time has passed. */
  readonly upkeep?: Rounds;
  /** An object for its pages, which find it by its class (`openedOf` in console/page.ts). */
  readonly source?: object;
  /** Starts its work. */
  readonly start?: (app: App) => { stop(): Promise<void> };
  /** When a stop begins: while requests in flight are answered, and before the store refuses writes. */
  readonly onStop?: () => Promise<void>;
  /** When everything else is closed. */
  readonly close?: () => Promise<void>;
}

/** Wraps requests and methods, which need not know that they are observed. */
export interface Observer {
  readonly request: TraceRequest;
  /** Called for each group commit, before its writes are answered. */
  readonly onGroup: (figures: GroupFigures) => void;
  readonly store: (store: Store) => Store;
  readonly sealReceipt: (seal: SealReceipt) => SealReceipt;
  readonly bulk: (bulk: Bulk) => Bulk;
  readonly bodies: (bodies: Bodies) => Bodies;
}

export type Bulk = Pick<BulkClient, "writeList" | "openStream">;
export type Bodies = Pick<MemoryBudget, "reserve" | "heldBytes">;
