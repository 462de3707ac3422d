// Answers as OTLP over HTTP wants them, in the encoding of the request: how many records were rejected and why, or what failed and how long
// to wait.
import { isUnreachable } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { Reply } from '../../kernel/route.ts';
import { isProto, type Outcome, type Sent } from './log-intake.service.ts';
import { encodeAnswer, encodeStatus } from './otlp-proto.ts';

const WAIT_SECONDS = '5';
/** google.rpc.Code. */
const INVALID_ARGUMENT = 3;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
const PROTO = { 'content-type': 'application/x-protobuf' };
const AWAY = 'The datastore cannot be reached. Send this again in 5 seconds.';

function answerOf(sent: Sent, { rejected, reasons }: Outcome): Reply {
  const message = [...reasons].join(' ');
  if (isProto(sent)) return new Reply({ bytes: encodeAnswer(rejected, message), headers: PROTO });
  const partialSuccess = { rejectedLogRecords: String(rejected), errorMessage: message };
  return new Reply({ json: JSON.stringify(rejected === 0 ? {} : { partialSuccess }) });
}

function failureOf(sent: Sent, { code: kind, message, status }: Fault): Reply {
  const isBusy = kind === 'unavailable';
  const code = isBusy ? UNAVAILABLE : kind === 'too_large' ? RESOURCE_EXHAUSTED : INVALID_ARGUMENT;
  const headers = isBusy ? { 'retry-after': WAIT_SECONDS } : {};
  if (isProto(sent))
    return new Reply({ status, bytes: encodeStatus(code, message), headers: { ...PROTO, ...headers } });
  return new Reply({ status, json: JSON.stringify({ code, message }), headers });
}

/** What comes of the work, whether it succeeds or fails for a reason that the client can act on. */
export async function answered(sent: Sent, work: Promise<Outcome>): Promise<Reply> {
  try {
    return answerOf(sent, await work);
  } catch (error) {
    if (isUnreachable(error)) return failureOf(sent, new Fault('unavailable', AWAY, { cause: error }));
    if (error instanceof Fault) return failureOf(sent, error);
    throw error;
  }
}
