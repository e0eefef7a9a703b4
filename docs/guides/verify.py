"""Verifies receipts and the audit trail of Sluice without Sluice: python3 verify.py keys.json receipts.ndjson [audit.ndjson]

Needs Python 3.8 and nothing else. Prints what is wrong, and exits with 1 if anything is.
"""
import base64, hashlib, json, sys

p, order = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, -1, p) % p

def add(one, other):  # Points of edwards25519 (RFC 8032, section 5.1)
    (a, b), (x, y) = one, other
    k = d * a * b * x * y % p
    return (a * y + b * x) * pow(1 + k, -1, p) % p, (b * y + a * x) * pow(1 - k, -1, p) % p

def times(n, point):
    result = (0, 1)
    while n:
        if n & 1: result = add(result, point)
        n, point = n >> 1, add(point, point)
    return result

def decode(data):
    y, odd = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
    x = pow(square, (p + 3) // 8, p)
    if x * x % p != square: x = x * pow(2, (p - 1) // 4, p) % p
    if x * x % p != square or y >= p or (x == 0 and odd): raise ValueError("not a point")
    return (p - x if x & 1 != odd else x), y

base = decode(bytes([0x58]) + bytes([0x66]) * 31)

def is_signed(key, text, signature):  # RFC 8032, section 5.1.7
    s = int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little")
    return len(signature) == 64 and s < order and times(s, base) == add(decode(signature[:32]), times(h % order, decode(key)))

def plain(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
def compact(value, **how): return json.dumps(value, ensure_ascii=False, separators=(",", ":"), **how).encode()
def lines(name): return [json.loads(line) for line in open(name, encoding="utf-8") if line.strip()]

keys, wrong, last = {k["kid"]: plain(k["x"]) for k in json.load(open(sys.argv[1]))["keys"]}, [], None
for number, given in enumerate(lines(sys.argv[2]), 1):
    receipt = given.get("receipt", given)
    body = {name: value for name, value in receipt.items() if name != "signature"}
    if receipt["key_id"] not in keys: wrong.append(f"receipt {number}: unknown key")
    elif not is_signed(keys[receipt["key_id"]], compact(body, sort_keys=True), plain(receipt["signature"])): wrong.append(f"receipt {number}: changed")
    for kind, count, of in ((kind, count, of) for of, counts in given.get("disclosures", {}).items() for kind, count in counts.items()):
        digest = hashlib.sha256(compact(["sluice-receipt-count", count["salt"], of, kind, count["count"]])).digest()
        if plain(receipt["counts"][of][kind]) != digest: wrong.append(f"receipt {number}: {kind} of {of} is another number")
    if receipt["receipt_no"] == 0: continue  # It is in no chain.
    if last and (receipt["receipt_no"], receipt["previous_receipt"]) != (last[0] + 1, last[1]): wrong.append(f"receipt {number}: does not follow")
    last = receipt["receipt_no"], hashlib.sha256(compact(receipt, sort_keys=True)).hexdigest()
previous = None
for entry in lines(sys.argv[3]) if len(sys.argv) > 3 else []:
    fields = [entry[name] for name in ("previous_hash", "entry_no", "at", "actor", "action", "organization_id", "subject")]
    is_next = previous is None or previous == entry["previous_hash"]
    if not is_next or hashlib.sha256(compact([*fields, compact(entry["detail"]).decode()])).hexdigest() != entry["hash"]: wrong.append(f"entry {entry['entry_no']}: changed, or does not follow")
    previous = entry["hash"]
print("\n".join(wrong) or "Everything is genuine.")
sys.exit(1 if wrong else 0)
