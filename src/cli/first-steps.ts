// What `serve` prints on its first start: the key, and commands that can be pasted into a shell as they are.

import type { FirstOrganization } from "./first-organization.ts";

export function describeFirstSteps(address: string, first: FirstOrganization): string {
  const { organization_id: organizationId, api_key: apiKey } = first;
  return `The store is new, so there is now an organization "${organizationId}" with a key that may do everything.
This is its API key, shown this once:

    ${apiKey}

Paste these into a shell to try it.

# Exchange the key for an access token that lasts an hour
TOKEN=$(curl -sS -X POST ${address}/auth/token \\
  -H 'Authorization: ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"expiry_seconds": 3600, "scopes": {"organization_id": "${organizationId}", "scopes": ["transactions:write"]}}' \\
  | sed -n 's/.*"token": *"\\([^"]*\\)".*/\\1/p')

# Send a transaction
curl -sS -w '\\n' -X POST ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "type": "DEPOSIT", "method": "SEPA", "amount": 1250.5, "currency": "EUR", "status": "SETTLED", "sender_id": "person-81", "sender_country": "DE", "timestamp": "2026-01-31T09:30:00Z"}'

# Ask whether it is there
curl -sS -w '\\n' '${address}/v2/transaction?tx_id=tx-1' -H "Authorization: Bearer $TOKEN"

# Delete it for good
curl -sS -w '\\n' -X DELETE ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "reason": "trying Sluice"}'

The reference is at ${address}/docs, further organizations and keys come with \`npx sluice organization create\` and
\`npx sluice key create\`, and \`npx sluice demo\` shows the whole of it on some thousand transactions.`;
}
