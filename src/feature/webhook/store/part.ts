// What webhooks have in the store: the endpoints, and what sending to them needs. No message is stored.

import { byIdIn, change, every, lookup, ofOrganization } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { organization } from "../../../store/sql/statement/visibility.ts";
import { removeSubscriptions } from "../../follow/store/subscription.ts";
import * as delivery from "./delivery.ts";
import * as endpoint from "./endpoint.ts";

const methods = {
  createEndpoint: change(ofOrganization, endpoint.createEndpoint),
  removeEndpoint: change(ofOrganization, endpoint.removeEndpoint),
  listEndpoints: lookup(organization, endpoint.listEndpoints),
  findEndpoint: lookup(byIdIn, endpoint.findEndpoint),
  listAllEndpoints: lookup(every, endpoint.listAllEndpoints),
  changeEndpoint: change(ofOrganization, delivery.changeEndpoint),
  claim: change(ofOrganization, delivery.claimEndpoint),
  release: change(ofOrganization, delivery.releaseEndpoint),
  releaseAll: change(every, delivery.releaseEveryEndpoint),
  storeResult: change(({ before }) => ofOrganization(before), delivery.storeResult),
  listNews: lookup(ofOrganization, delivery.listDeletionNews),
  findNews: lookup(every, delivery.findOrganizationsWithNews),
  haveEndpointsChanged: lookup(every, delivery.haveEndpointsChanged),
} as const;

export const webhooks = {
  name: "webhooks",
  methods,
  schema: new URL("schema.sql", import.meta.url),
  tables: ["webhook_endpoint"],
  arrivalNumbers: ["SELECT max(change_no) AS latest FROM webhook_endpoint"],
  invariants: [
    {
      broken: "An endpoint of webhooks is of an organization that does not exist",
      sql: `
        SELECT endpoint_id AS subject FROM webhook_endpoint
        WHERE organization_id NOT IN (SELECT organization_id FROM organization) LIMIT $1`,
    },
  ],
  // Nobody can receive messages any more.
  *close(organizationId) {
    yield* removeSubscriptions(endpoint.endpointKind, organizationId);
  },
  *erase({ organizationId }) {
    yield* removeSubscriptions(endpoint.endpointKind, organizationId);
    return undefined;
  },
} satisfies StorePart;
