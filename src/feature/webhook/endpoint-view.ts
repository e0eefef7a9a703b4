// An endpoint of webhooks as organizations and operators see it: never with its secret.

import { type WebhookEndpoint, webhookState } from "./webhook.ts";
import type { WebhookKeys } from "./webhook-keys.ts";

/** `keys`: the secrets of this process, if it has any. */
export function endpointState(endpoint: WebhookEndpoint, keys: WebhookKeys | undefined): object {
  const { endpointId, secretVersion, keyCheck } = endpoint;
  const isSame = keys?.check === keyCheck;
  return {
    webhook_endpoint_id: endpointId,
    url: endpoint.url,
    events: endpoint.events,
    ...(endpoint.description === "" ? {} : { description: endpoint.description }),
    created_at: timeOf(endpoint.createdAt),
    ...(isSame ? { public_key: keys.secretOf(endpointId, secretVersion).publicKey } : {}),
    state: webhookState(endpoint, keys?.check),
    ...optional("disabled_at", timeOf(endpoint.disabledAt)),
    ...optional("disabled_because", endpoint.disabledBecause),
    ...optional("last_attempt_at", timeOf(endpoint.lastAttemptAt)),
    ...optional("last_result", endpoint.lastResult),
    ...optional("last_delivered_at", timeOf(endpoint.lastDeliveredAt)),
    ...optional("failing_since", timeOf(endpoint.failingSince)),
    ...optional("next_attempt_at", timeOf(endpoint.nextAttemptAt)),
  };
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function optional(name: string, value: string | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
