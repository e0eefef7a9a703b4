// The texts of letters in English. A file of the operator replaces any of them (texts.ts); what is in braces is filled
// in. Names of types, fields and values that are missing here are derived from the names themselves.

export const english = {
  language: "en-GB",
  yes: "yes",
  no: "no",

  "sheet.letterhead": "{organization}",
  "sheet.greeting": "Dear Sir or Madam,",
  "sheet.closing": "Yours faithfully,",
  "sheet.signature": "Name, function, signature",
  "sheet.dates": "Dates are in UTC.",
  "sheet.organization": "Organization",
  "sheet.id": "Id in our records",
  "sheet.type": "Type of record",
  "sheet.records": "Records",
  "sheet.requested": "Requested",

  "answer.title": "Answer to your inquiry",
  "answer.inquiry": "Your inquiry",
  "answer.name": "Name asked for",
  "answer.recorded": "Name in our records",
  "answer.born": "Born or founded, in our records",
  "answer.match": "How the names match",
  "answer.match_exact": "exactly, apart from capitals, accents, script and the order of words",
  "answer.match_partial": "in part",
  "answer.match_former": "with a former name in our records",
  "answer.match_similar": "not exactly: they are only similar",
  "answer.match_other": "not at all: found by other details",
  "answer.kind": "Person or company",
  "answer.by": "Answered by",
  "answer.opening": "We answer your inquiry as follows.",
  "answer.relationship": "Business relationship",
  "answer.exists": "A business relationship exists.",
  "answer.existed": "A business relationship existed, and has ended.",
  "answer.applied": "There is a record, and no account was approved.",
  "answer.erased":
    "There was a record, and it was erased. Whether there was a business relationship is no longer known.",
  "answer.named": "There is no record with this id; other records name it.",
  "answer.none": "Nothing is known about a business relationship with this id.",
  "answer.not_stated":
    "The organization is closed. Only an answer that includes confidential reports says whether there is or was a business relationship.",
  "answer.from": "The earliest record is of {from}.",
  "answer.until": "The account was closed on {until}.",
  "answer.what": "What",
  "answer.value": "Stated",
  "answer.first": "First on",
  "answer.last": "Last on",
  "answer.status": "Account status",
  "answer.product": "Product",
  "answer.role": "Role",
  "answer.records": "Records",
  "answer.from_date": "From",
  "answer.to_date": "To",
  "answer.erasures": "Erased",
  "answer.open": "To be erased",
  "answer.erased_on": "Erased on",
  "answer.erased_what": "What",
  "answer.of_subject": "the record and what belongs to it",
  "answer.of_organization": "all records of the organization",
  "answer.receipt": "Receipt",
  "answer.scope":
    "This answer is about records with this id in this organization, as they are stored now. If records were erased, only the request and its receipt remain.",
  "answer.scope_closed":
    "The organization was closed on {closed}. Its records are erased once nothing keeps them.",
  "answer.scope_cut":
    "At most {products} products and {deletions} deletions are stated, and there are more.",
  "answer.scope_confidential":
    "It includes confidential reports: do not pass it on to anybody who may not know of them.",
  "answer.scope_public":
    "Confidential reports are not included, and it does not say whether there are any.",

  "erasure.title": "Your request for erasure of {requested}",
  "erasure.reference": "Our reference",
  "erasure.untitled": "Your request for erasure",
  "erasure.received": "Received on",
  "erasure.entered": "Entered in our records on",
  "erasure.completed":
    "What this request covered was erased on {completed}. A verification found nothing left.",
  "erasure.pending": "Your request is not completed yet. We will inform you when it is.",
  "erasure.processing": "The erasure has begun. We will inform you when it is completed.",
  "erasure.kept":
    "We have to keep records for a time, and erase nothing before it ends. Then everything is erased that belongs only to this record; what is also about others stays, without the id.",
  "erasure.earliest": "The erasure begins on {earliest} at the earliest.",
  "erasure.cancelled": "The request was cancelled, and nothing was erased because of it.",
  "erasure.gone": "What was erased",
  "erasure.stays": "What stays",
  "erasure.what": "What",
  "erasure.why": "Why",
  "erasure.until": "Until",
  "erasure.duty": "Has to be kept for at least {days}, counted from {origin}.",
  "erasure.duty_left":
    "What is younger than {days}, counted from {origin}, has to be kept until it is that old.",
  "erasure.from_last_seen": "the last date in the record",
  "erasure.from_closed": "the end of the account",
  "erasure.from_report_filed_at": "the filing of the report",
  "erasure.each": "each for {days}, counted from {origin}; no later end is set",
  "erasure.no_end": "no end is set",
  "erasure.pseudonym":
    "It is also a record of the other party. A random pseudonym has replaced the id.",
  "erasure.reference_removed":
    "It is about others. The reference to what was erased has been removed.",
  "erasure.proof":
    "The request with its id and reason, the receipt, and entries of the audit trail",
  "erasure.proof_why": "They prove that the request was processed.",
  "erasure.backups": "Backups from before the erasure",
  "erasure.backups_why": "They are not used, and a restore repeats the erasure.",
  "erasure.backups_until": "they expire",
  "erasure.scope":
    "This letter does not say whether there are records that the law requires us to keep and forbids us to disclose.",
  "erasure.remedy":
    "You can lodge a complaint with a supervisory authority, and seek a judicial remedy.",

  "copy.title": "Copy of the data stored about you",
  "copy.intro":
    "This copy answers a request for access (Article 15 of the GDPR). It shows the latest state of each record. The copy for programs has the same records with each change that was received.",
  "copy.as_of": "As of",
  "copy.contents": "What was found",
  "copy.contents_what":
    "The records of the organization with this id, everything that belongs to it or mentions it, at any depth, and the transactions that name it.",
  "copy.no_record": "There is no record with this id itself; the records below name it.",
  "copy.shown": "Shown here",
  "copy.cut":
    "Only the first {count} records are shown here. The copy for programs has all of them.",
  "copy.values_cut":
    "Values of more than {count} characters are cut here, and end with an ellipsis.",
  "copy.left_out": "What is left out",
  "copy.left_reports":
    "Types of records that the law may forbid to disclose, such as reports of suspicions, and legal holds. They are left out of every copy, whether or not there are any.",
  "copy.confidential":
    "This copy was made for an officer, and has what the law may forbid to disclose. Do not hand it out.",
  "copy.left_no_type": "No type of record.",
  "copy.left_text": "Records that do not name this id, such as text in the records of others.",
  "copy.left_erased": "What was erased before, and what is stored elsewhere.",
  "copy.left_keys": "Logs and the audit trail of the service, which contain no records.",
  "copy.left_later": "Records that arrived after the time given above, or were erased meanwhile.",
  "copy.details": "Further",
  "copy.deletions": "Requests to delete",
  "copy.status": "Status",
  "copy.waits": "Waits until",
  "copy.reason": "Reason",

  "status.pending": "pending",
  "status.processing": "in progress",
  "status.completed": "completed",
  "status.cancelled": "cancelled",

  "field.tx_id": "Transaction",
  "field.related_tx_id": "Related transaction",
  "field.related_tx_ids": "Related transactions",
  "field.amount_usd": "Amount in US dollars",
  "field.is_sole_prop": "Sole proprietor",
  "field.is_test_user": "Test",
  "field.is_test_company": "Test",
  "field.sender_id": "From",
  "field.receiver_id": "To",
  "field.timestamp": "Date",
  "value.ACH": "ACH",
  "value.AML": "Anti-money laundering",
  "value.APPLE_PAY": "Apple Pay",
  "value.FEDNOW": "FedNow",
  "value.GOOGLE_PAY": "Google Pay",
  "value.PEP": "Politically exposed person",
  "value.PROV_X_TRANSFER": "Provider X transfer",
  "value.RTP": "RTP",
  "value.SEPA": "SEPA",
  "value.SWIFT": "SWIFT",
} as const;

export type TextKey = keyof typeof english;
