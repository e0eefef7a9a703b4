// What `serve` prints on its first start: the API key, and commands that can be pasted into a shell.

export interface FirstOrganization {
  readonly organization_id: string;
  readonly key_id: string;
  readonly api_key: string;
}

export function describeFirstSteps(address: string, first: FirstOrganization): string {
  const { organization_id: organizationId, api_key: apiKey } = first;
  return `The store is new. Created an organization "${organizationId}" with an API key that has all scopes.
The key is shown only this once:

    ${apiKey}

Paste these commands into another shell to try it; Ctrl-C here stops the server.

# Exchange the key for an access token that is valid for an hour
TOKEN=$(curl -sS -X POST ${address}/auth/token \\
  -H 'Authorization: ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"expiry_seconds": 3600, "scopes": {"organization_id": "${organizationId}", "scopes": ["transactions:write"]}}' \\
  | sed -n 's/.*"token": *"\\([^"]*\\)".*/\\1/p')

# Send a transaction
curl -sS -w '\\n' -X POST ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "type": "DEPOSIT", "method": "SEPA", "amount": 1250.5, "currency": "EUR", "status": "SETTLED", "sender_id": "person-81", "sender_country": "DE", "timestamp": "2026-01-31T09:30:00Z"}'

# Check that it exists
curl -sS -w '\\n' '${address}/v2/transaction?tx_id=tx-1' -H "Authorization: Bearer $TOKEN"

# Delete it permanently
curl -sS -w '\\n' -X DELETE ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "reason": "trying Sluice"}'

API reference: ${address}/docs
In a browser: \`npx sluice operator create NAME --role operator\`, then the link that \`npx sluice operator link NAME\` prints.
\`npx sluice organization create\` and \`npx sluice key create\` create organizations and keys.
\`npx sluice demo\` shows the whole service at work with a few thousand transactions.`;
}
