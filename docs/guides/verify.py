"""Verifies receipts, statuses with one, the audit trail, exports as NDJSON, manifests beside what they name, and published heads
(named before the others), without Sluice: python3 verify.py keys.json FILE... Prints what is wrong. Needs Python 3.8 and nothing else."""
import base64, hashlib, json, os, sys
p, order = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, -1, p) % p
def add(one, other):  # Points of edwards25519 (RFC 8032, section 5.1)
    (a, b), (x, y) = one, other
    return (a * y + b * x) * pow(1 + (k := d * a * b * x * y % p), -1, p) % p, (b * y + a * x) * pow(1 - k, -1, p) % p
def times(n, point): return add(times(n >> 1, add(point, point)), point if n & 1 else (0, 1)) if n else (0, 1)
def decode(data):
    y, odd = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
    x = pow(square, (p + 3) // 8, p)
    if x * x % p != square: x = x * pow(2, (p - 1) // 4, p) % p
    if x * x % p != square or y >= p or (x == 0 and odd): raise ValueError("not a point")
    return (p - x if x & 1 != odd else x), y
base = decode(bytes([0x58]) + bytes([0x66]) * 31)
def is_signed(key, text, signature):  # RFC 8032, section 5.1.7
    s, h = int.from_bytes(signature[32:], "little"), int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little")
    return len(signature) == 64 and s < order and times(s, base) == add(decode(signature[:32]), times(h % order, decode(key)))
def plain(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
def compact(value, **how): return json.dumps(value, ensure_ascii=False, separators=(",", ":"), **how).encode()
def sha(data): return hashlib.sha256(data)
def check(is_right, text): is_right or wrong.append(text)
def check_signed(document, name):
    body, key = {k: v for k, v in document.items() if k != "signature"}, keys.get(document.get("key_id"))
    check(key and is_signed(key, compact(body, sort_keys=True), plain(document["signature"])), f"{name}: changed" if key else f"{name}: unknown key")
def check_link(chain, no, previous, own, name, is_cut=False):  # A restore leaves out numbers of the trail.
    first.setdefault(chain, no)
    before, is_next = last.get(chain, (no - 1, previous, False)), is_cut or no == last.get(chain, [no - 1])[0] + 1
    if is_next or chain != "receipts" or no < before[0]: check(is_next and previous == before[1], f"{name}: does not follow" if is_next else f"{chain} {before[0] + 1} to {no - 1}: missing")
    else: gaps.append((*before[:2], no - 1, previous))
    mark = heads and base64.b64encode(sha(compact(["sluice-head", chain, *heads[:2], no, own])).digest()).decode()
    last[chain] = no, own, before[2] or bool(heads) and mark == heads[2][chain]
def check_receipt(given, name):
    receipt, before = given.get("receipt", given), len(wrong)
    check_signed(receipt, name)
    shown = [(receipt["counts"][of][kind], ["sluice-receipt-count", one["salt"], of, kind, one["count"]], f"{kind} of {of} is another number") for of, counts in given.get("disclosures", {}).items() for kind, one in counts.items()]
    for digest, text, what in shown + [(receipt["approval"][who], ["sluice-receipt-person", one["salt"], who, one["name"]], f"the {who} is another person") for who, one in given.get("disclosed_approval", {}).items()]: check(plain(digest) == sha(compact(text)).digest(), f"{name}: {what}")
    for one in filter(None, [given.get("disclosed_basis")]): check(plain(receipt["asked"]["basis"]) == sha(compact(["sluice-receipt-basis", one["salt"], one["basis"]])).digest(), f"{name}: the basis is another one")
    if "receipt" in given and len(wrong) == before: check_status(given, receipt, name)
    if "counts" in receipt: given_receipts[sha(compact(receipt, sort_keys=True)).hexdigest()] = receipt
    if receipt["receipt_no"] > 0: check_link("receipts", receipt["receipt_no"], receipt["previous_receipt"], sha(compact(receipt, sort_keys=True)).hexdigest(), name)
def check_status(status, receipt, name):  # Compares each member with what proves it.
    asked, shown = receipt["asked"], status.get("disclosures", {})
    proved = {**{k: receipt[k] for k in ("deletion_request_id", "organization_id", "started_at", "completed_at")}, **{k: asked[k] for k in ("resource_type", "resource_id", "reason")}}
    proved.update(requested_by=asked["by"], requested_at=asked["at"], status="completed", basis=None)
    if "disclosed_basis" in status: proved["basis"] = status["disclosed_basis"]["basis"]
    elif "basis" in asked: del proved["basis"]
    apart = {"receipt", "erased", "disclosures", "disclosed_approval", "disclosed_basis"} | ({"recipients", "statement"} if "statement" in status else set())
    for member in status.keys() - apart:
        if member in proved: check(status[member] == proved[member], f"{name}: {member} of the status is another one")
        else: unproved.add(member)
    for kind in {**status["erased"], **shown} if "erased" in status else ():  # The number may include those that had to be kept.
        removed, kept = (shown.get(kind, {}).get(of, {"count": other})["count"] for of, other in (("removed", None), ("kept", 0)))
        if removed is None: unproved.add(f"erased.{kind}")
        else: check(status["erased"].get(kind, 0) in (removed, removed - kept), f"{name}: {kind} of the status is another number")
    if "statement" not in status: return
    statement, told = status["statement"], status.get("recipients", [])
    check_signed(statement, f"{name}: the statement")
    left = [{of: one.get(of) for of in ("name", "told_at", "acknowledged_at")} for one in told if "removed_at" not in one]
    if len(left) < len(told): unproved.add("recipients that were removed")
    check(statement["receipt_hash"] == sha(compact(receipt, sort_keys=True)).hexdigest(), f"{name}: the statement is of another receipt")
    check(statement["recipients"] == left, f"{name}: the statement is of other recipients")
def check_entry(entry, name):
    fields = [entry[k] for k in ("previous_hash", "entry_no", "at", "actor", "action", "organization_id", "subject")]
    check(sha(compact([*fields, compact(entry["detail"]).decode()])).hexdigest() == entry["hash"], f"{name}: changed")
    if entry["action"] == "store.restore": cuts[tuple(entry["detail"]["receipts"][side][of] for side in ("restored", "known") for of in ("no", "hash"))] = entry["entry_no"]
    check_link("audit", entry["entry_no"], entry["previous_hash"], entry["hash"], name, entry["action"] == "store.restore")
    if entry["action"] == "deletion.complete" and "receiptHash" in entry["detail"]: named[entry["detail"]["receiptHash"]] = entry
    times_of_trail.append((entry["entry_no"], entry["time"]))
def compare():  # Receipts outside the chain are complete only if the trail is compared; receipts may be newer than the trail.
    covered = {own for own, receipt in given_receipts.items() if first['audit'] == 1 and receipt["completed_at"] <= times_of_trail[-1][1]}
    for own in covered - named.keys(): check(False, f"the receipt of {given_receipts[own]['deletion_request_id']}: not in the trail")
    for own in named.keys() - given_receipts.keys(): check(False, f"the receipt of {named[own]['subject']}: missing, entry {named[own]['entry_no']} names it")
def check_manifest(manifest, read):
    check_signed(manifest, "the manifest")
    for file in manifest["files"]: check((file["bytes"], file["sha256"]) == (len(read(file)), sha(read(file)).hexdigest()), f"{file.get('name', 'the file')}: changed or cut")
def read_heads(text, signature):  # https://c2sp.org/signed-note
    origin, at, *marks = text.split("\n")[:-1]
    key = next((key for key in keys.values() if sha(origin.encode() + b"\n\1" + key).digest()[:4] == signature[:4]), None)
    check(key and is_signed(key, text.encode(), signature[4:]), "the heads: changed, or unknown key")
    return origin.split("/")[1], at, dict(mark.split(" ") for mark in marks)
def examine(path, number, value, data):  # False if there is nothing to verify.
    global heads
    if "note" in value: heads = read_heads(value["note"].rsplit("\n\n", 1)[0] + "\n", base64.b64decode(value["note"].split(" ")[-1]))
    elif "sluice_manifest" in value: check_manifest(value["sluice_manifest"], lambda file: data[:data.rindex(b'{"sluice_manifest"')])
    elif "files" in value: check_manifest(value, lambda file: read(os.path.join(os.path.dirname(path), file["name"]) if "name" in file else path[:-14]))
    elif "entry_no" in value: check_entry(value, f"entry {value['entry_no']}")
    elif "signature" in value or "receipt" in value: check_receipt(value, f"receipt {number}")
    else: return False
def read(path): return open(path, "rb").read()
def attempt(where, act, *given):
    try: return act(*given)
    except (json.JSONDecodeError, UnicodeDecodeError): wrong.append(f"{where}: not JSON, or cut off")
    except OSError as error: wrong.append(f"{where}: can't be read: {error}")
    except Exception as error: wrong.append(f"{where}: not in the form of what can be verified: {error!r}")
def read_keys(path): return {k["kid"]: plain(k["x"]) for k in json.loads(read(path))["keys"]}
wrong, first, last, heads, unproved = [], {}, {}, None, set()
given_receipts, named, times_of_trail, gaps, cuts = {}, {}, [], [], {}
keys = attempt(sys.argv[1], read_keys, sys.argv[1]) or sys.exit("\n".join(wrong) or f"{sys.argv[1]}: no key")
for path in sys.argv[2:]:
    data = attempt(path, read, path)
    if data is None: continue
    lines = enumerate(filter(bytes.strip, data.split(b"\n")), 1)
    found = [attempt(f"{path}, line {number}", lambda: examine(path, number, json.loads(line), data)) for number, line in lines]
    check(not found or None in found, f"{path}: nothing in it can be verified")
for chain in last if heads else (): check(last[chain][2], f"{chain}: the end is missing, from the published head on")
if given_receipts and times_of_trail: attempt("the trail", compare)
for gap in gaps: check(gap in cuts, f"receipts {gap[0] + 1} to {gap[2]}: missing" + ("" if times_of_trail else "; if the store was restored, compare the audit trail"))
if wrong: sys.exit("\n".join(wrong))
print("Everything is genuine." + (f" Complete up to {heads[1]}." if heads else ""))
for gap in gaps: print(f"Receipts {gap[0] + 1} to {gap[2]} are missing because of the restore in entry {cuts[gap]} of the audit trail.")
if unproved: print(f"Not verified in the status: {', '.join(sorted(unproved))}.")
for chain in first:
    if first[chain] > 1: print(f"Not examined: whether {chain} before number {first[chain]}, the first one, are missing.")
if not heads: print("Not examined: whether the end is missing. Compare published heads.")
if given_receipts and first.get("audit") != 1: print("Not examined: whether receipts outside the chain are missing. Compare the audit trail.")
