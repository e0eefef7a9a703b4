// Records of abusers and of the good client, as JSON text: valid ones that differ by id, cheap to
// generate by the million.

const timestamp = "2026-01-31T09:30:00Z";

export function transaction(id: string, amount = 1): string {
  return (
    `{"tx_id":"${id}","timestamp":"${timestamp}","type":"DEPOSIT","method":"WIRE","amount":${amount},` +
    `"currency":"EUR","status":"SETTLED","sender_id":"s","sender_country":"DE"}`
  );
}

export function listOf(length: number, item: (index: number) => string): string {
  return `[${Array.from({ length }, (_, index) => item(index)).join(",")}]`;
}

export function linesOf(length: number, item: (index: number) => string): string {
  return Array.from({ length }, (_, index) => `${item(index)}\n`).join("");
}

export function riskAssessment(id: string, fields = ""): string {
  return (
    `{"assessment_id":"${id}","timestamp":"${timestamp}","type":"onboarding","outcome":"LOW"` +
    `${fields}}`
  );
}

export function person(id: string): string {
  return (
    `{"person_id":"${id}","timestamp":"${timestamp}","is_test_user":false,` +
    `"is_retail_customer":true}`
  );
}

/** A record of the maximum size: it belongs to a thousand transactions. */
export function checkOfMany(id: string): string {
  const related = Array.from({ length: 1_000 }, (_, index) => `"${id}-${index}"`).join(",");
  return (
    `{"check_id":"${id}","timestamp":"${timestamp}","status":"PENDING",` +
    `"type":"INLINE_MONITORING","related_tx_ids":[${related}]}`
  );
}

/**
 * Returns an id that no other call returned, in any process of the campaign with another prefix.
 */
export function makeIds(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}
