// The methods of the store that run the same statements on every engine: their statements, and what each may see. The
// interface of the store takes their types from here. An engine binds them to its driver; each engine writes the other
// methods itself.

import * as apiKey from "./access/api-key.ts";
import * as audit from "./trail/audit.ts";
import * as clock from "./trail/clock.ts";
import * as closing from "./deletion/close-organization.ts";
import {
  type Bound,
  byIdIn,
  change,
  every,
  lookup,
  type AnyMethod,
  type Methods,
  ofKeys,
  ofOrganization,
  read,
  type RunMethod,
} from "./method.ts";
import { dryRun } from "./plan/dry-run.ts";
import { previewErased } from "./expiry/expired-preview.ts";
import { findObstacleNow, keepsOrganization } from "./plan/organization-obstacle.ts";
import { findExpired } from "./expiry/expired.ts";
import * as deletion from "./deletion/deletion.ts";
import { findArrivals, listArrivals, listTimelines } from "./record/arrivals.ts";
import * as floor from "./retention/floor.ts";
import * as hold from "./retention/hold.ts";
import { listLedgerMarks, markLedger, continues } from "./restore/known-ledger.ts";
import * as operator from "./access/operator.ts";
import * as operatorSession from "./access/operator-session.ts";
import * as organizations from "./access/organization.ts";
import { readNamings } from "./party/find-namings.ts";
import { indexParties, rebuildParties } from "./party/index-parties.ts";
import * as proposal from "./proposal/proposal.ts";
import * as overview from "./record/overview.ts";
import { purgeExpired } from "./access/purge.ts";
import * as receipt from "./trail/receipt.ts";
import * as record from "./record/record.ts";
import { isAnyWaiting, listInformed } from "./deletion/informed-recipient.ts";
import * as replay from "./restore/replay.ts";
import * as restricted from "./deletion/restricted-list.ts";
import {
  allDeletions,
  listed,
  oneOrAll,
  organization,
  rebuilding,
  someOrAll,
  type Visibility,
} from "./statement/visibility.ts";
import type { Act } from "../interface/act.ts";
import { changesIn, type StoreParts } from "./store-parts.ts";

const credentials: Visibility = { view: "credentials" };

function ofSet({ set }: { readonly set: string }): Visibility {
  return organization(set);
}

function ofFilter({
  organizationId,
}: {
  readonly organizationId?: string | undefined;
}): Visibility {
  return organizationId === undefined ? listed : organization(organizationId);
}

function ofHolds(filter: hold.HoldFilter): Visibility {
  return filter.restricted === true ? listed : ofFilter(filter);
}

/** Grouped like the members of the store. */
export const methods = {
  store: {
    readHistory: lookup(ofOrganization, record.readHistory),
    countRecords: lookup(organization, record.countRecords),
    countRecordsOfTypes: lookup(ofOrganization, record.countRecordsOfTypes),
    listChanges: lookup(ofOrganization, record.listChanges),
    listReferrers: lookup(ofOrganization, record.listReferrers),
    readNamings: read(ofOrganization, readNamings),
    findExpired: read(ofOrganization, findExpired),

    findDeletion: lookup(byIdIn, deletion.findDeletion),
    listDeletions: lookup(ofFilter, deletion.listDeletions),
    listCompleted: lookup(ofFilter, deletion.listCompleted),
    cancelDeletion: change(every, deletion.cancelDeletion),
    postponeDeletion: change(allDeletions, (id: string, why: string, nextAttemptAt: number) =>
      deletion.postponeDeletion(id, why, nextAttemptAt),
    ),
    deletionFigures: read(every, deletion.deletionFigures),

    receiptHead: lookup(every, receipt.readReceiptHead),
    receiptSaltKey: lookup(every, receipt.readSaltKey),
    findReceipt: lookup(byIdIn, receipt.findReceipt),
    listReceipts: lookup(every, receipt.listReceipts),
    listReceiptKeys: lookup(every, receipt.listReceiptKeys),
    keepReceiptKey: change(every, receipt.keepReceiptKey),

    createOrganization: change(ofOrganization, organizations.createOrganization),
    findOrganization: lookup(organization, organizations.findOrganization),
    listOrganizations: lookup(every, organizations.listOrganizations),
    changeOrganization: change(organization, organizations.changeOrganization),
    pauseWrites: change(organization, organizations.pauseWrites),
    closeOrganization: change(organization, closing.closeOrganization),
    requestOrganizationDeletion: change(ofOrganization, closing.requestOrganizationDeletion),

    createKey: change(ofOrganization, apiKey.createKey),
    listKeys: lookup(oneOrAll, apiKey.listKeys),
    findKey: lookup(credentials, apiKey.findKey),
    findKeyBySecret: lookup(credentials, apiKey.findKeyBySecret),
    revokeKey: change(every, apiKey.revokeKey),
    rotateKey: change(every, apiKey.rotateKey),
    createToken: change(ofOrganization, apiKey.createToken),
    findCaller: lookup(credentials, apiKey.findCaller),
    credentialsVersion: lookup({}, organizations.readCredentialsVersion),

    listInformed: lookup(
      (_id: string, organizationId: string) => organization(organizationId),
      listInformed,
    ),
    isAnyWaiting: lookup(every, isAnyWaiting),

    purgeExpired: change(every, purgeExpired),
    listAudit: lookup(every, audit.listAudit),
  },
  proposals: {
    approveDeletion: change(every, proposal.approveDeletion),
    find: lookup(every, proposal.findProposal),
    list: lookup(ofFilter, proposal.listProposals),
    countWaiting: lookup(ofFilter, proposal.countWaiting),
    isOwnRequest: lookup(every, proposal.isOwnRequest),
    decline: change(every, proposal.declineProposal),
    expire: change(every, proposal.expireProposals),
  },
  holds: {
    place: change(ofOrganization, hold.placeHold),
    release: change(every, (holdId: string, act: Act, because?: string) =>
      hold.releaseHold(holdId, act, because),
    ),
    find: lookup(every, hold.findHold),
    ofRecords: lookup(ofKeys, hold.findHoldsOf),
    list: lookup(ofHolds, hold.listHolds),
    count: lookup(ofHolds, hold.countHolds),
    listEnding: lookup(every, hold.listEnding),
  },
  plans: {
    dryRun: read(
      ({ deletion: one }) => ({ ...organization(one.organizationId), snapshot: true }),
      dryRun,
    ),
    previewErased: read(ofOrganization, previewErased),
    findObstacleOfAll: read(every, findObstacleNow),
  },
  retention: {
    setFloor: change(ofOrganization, floor.setFloor),
    wakeFrom: change(organization, floor.wakeFrom),
    wakeSetsFrom: change(allDeletions, floor.wakeSetsFrom),
    listFloors: lookup(organization, floor.listFloors),
    listRules: lookup(someOrAll, floor.listRules),
    keepsOrganization: read(ofOrganization, keepsOrganization),
  },
  restricted: {
    listSets: lookup(allDeletions, restricted.listSets),
    listRecords: lookup(ofSet, restricted.listRecords),
    listReferences: lookup(every, restricted.listReferences),
    findStraySets: read(every, restricted.findStraySets),
  },
  parties: {
    index: change(every, indexParties),
    rebuild: change(every, rebuildParties),
  },
  operators: {
    create: change(every, operator.createOperator),
    findByName: lookup(every, operator.findOperator),
    findByIdentity: lookup(every, operator.findByIdentity),
    list: lookup(every, operator.listOperators),
    disable: change(every, operator.disableOperator),
    confirm: change(every, operator.confirmOperator),
    createLink: change(every, operator.createLink),
    findLink: lookup(every, operator.findLink),
    useLink: change(every, operator.useLink),
    useChallenge: change(every, operator.useChallenge),
    addPasskey: change(every, operatorSession.addPasskey),
    findPasskey: lookup(every, operatorSession.findPasskey),
    listPasskeys: lookup(every, operatorSession.listPasskeys),
    removePasskey: change(every, operatorSession.removePasskey),
    useIdentity: change(every, operator.useIdentity),
    usePasskey: change(every, operatorSession.usePasskey),
    findSession: lookup(every, operatorSession.findSession),
    listSessions: lookup(every, operatorSession.listSessions),
    endSession: change(every, operatorSession.endSession),
  },
  arrivals: {
    list: lookup(ofOrganization, listArrivals),
    timelines: lookup({}, listTimelines),
    find: lookup(({ organizations: waiting }) => ({ organizations: waiting }), findArrivals),
  },
  overview: {
    deletionQueue: read(listed, overview.readDeletionQueue),
    lastBackup: lookup(every, overview.findLastBackup),
    engineVersion: lookup({}, overview.readEngineVersion),
    readHistoryPart: lookup(ofOrganization, record.readHistoryPart),
    listReferrersOfType: lookup(ofOrganization, record.listReferrersOfType),
    listReferences: lookup(ofOrganization, record.listReferences),
    findOpenDeletion: lookup(ofOrganization, deletion.findOpenDeletion),
    listProcessing: lookup(every, deletion.listProcessing),
  },
  replay: {
    restoreState: lookup(every, replay.readRestoreState),
    continues: lookup(every, continues),
    countUnreplayed: lookup(every, replay.countUnreplayed),
    beginReplay: change(every, replay.beginReplay),
    findUncancelled: lookup(every, replay.findUncancelled),
    queueReplay: change(rebuilding, replay.queueReplay),
    cancelAgain: change(rebuilding, replay.cancelAgain),
    replaceHolds: change(rebuilding, replay.replaceHolds),
    replaceFloors: change(rebuilding, replay.replaceFloors),
    replaceSettings: change(rebuilding, replay.replaceSettings),
    startReplay: change(every, replay.startReplay),
    takeOver: change(rebuilding, replay.takeOver),
    reopenDeletions: change(rebuilding, replay.reopenDeletions),
    countReplayed: lookup(every, replay.countReplayed),
    finishReplay: change(every, replay.finishReplay),
    listLedgerMarks: lookup(every, listLedgerMarks),
    markLedger: change(every, markLedger),
  },
  clock: {
    read: lookup(every, clock.readClock),
    move: change(every, clock.moveClock),
    confirm: change(every, clock.confirmClock),
  },
  trail: {
    head: lookup(every, audit.readChainHead),
    search: read(every, audit.searchAudit),
    countDays: read(every, audit.countAuditDays),
    listRestores: lookup(every, audit.listRestores),
    verify: read({ ...every, snapshot: true }, audit.verifyPart),
    note: change(every, audit.auditAct),
    findDeletions: lookup(every, deletion.findDeletions),
    listDeletions: lookup(every, deletion.listDeletionsById),
    findReceipts: lookup(every, receipt.findReceipts),
  },
} as const;

/** The methods of a feature's part of the store: the same object at each call. */
type BoundPart = <Table extends Methods>(part: PartMethods<Table>) => Bound<Table>;

interface PartMethods<Table extends Methods> {
  readonly name: string;
  readonly methods: Table;
}

export type SharedMethods = {
  readonly [Group in keyof typeof methods]: Bound<(typeof methods)[Group]>;
} & { readonly of: BoundPart };

/** `parts`: those with which the store was opened. */
export function bindMethods(bind: RunMethod, { list }: StoreParts): SharedMethods {
  const groups: readonly (readonly [name: string, methods: Methods])[] = [
    ...Object.entries<Methods>(methods),
    ...list.map((part) => [part.name, part.methods] as const),
  ];
  const bound = Object.fromEntries(
    groups.map(([group, table]) => [
      group,
      Object.fromEntries(
        Object.entries(table).map(([name, method]) => [name, bind(`${group}.${name}`, method)]),
      ),
    ]),
  );
  // Keeps the arguments and the result of each method, as `Bound` declares.
  return { ...bound, of: ({ name }) => bound[name] } as SharedMethods;
}

/** The methods above that change the store, named as `bindMethods` names them. */
export const changes: ReadonlyMap<string, AnyMethod["work"]> = new Map(
  Object.entries<Methods>(methods).flatMap(([group, table]) => changesIn(group, table)),
);
