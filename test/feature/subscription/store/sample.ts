// What a store has of recipients and webhooks, for tests of every table.

import { subscriptions } from "../../../../src/feature/subscription/store/part.ts";
import type { StoreSample } from "../../sample.ts";
import { newEndpoint } from "../../webhook/store/webhooks.ts";

const all = { after: undefined, limit: 10_000 };
const name = "follows";

export const storeSample: StoreSample = {
  fill: async (store, organizationId, { act, types }) => {
    const methods = store.of(subscriptions);
    const endpointId = `whe_${organizationId}`;
    await methods.createEndpoint(newEndpoint(endpointId, { organizationId }), act);
    await methods.createRecipient({ organizationId, name, types }, act);
  },
  read: async (store) => {
    const methods = store.of(subscriptions);
    return [...(await methods.listAllEndpoints(all)), ...(await methods.listWaiting(all, []))];
  },
  use: async (store, organizationId, act) => {
    const methods = store.of(subscriptions);
    await methods.listWaiting({ after: undefined, limit: 9 }, ["person"]);
    await methods.purgeNotices({ before: 0, after: "" }, act);
    await methods.removeRecipient({ organizationId, name }, act);
    await methods.removeEndpoint({ organizationId, endpointId: `whe_${organizationId}` }, act);
  },
};
