// Why signing in did not work, and when it may be tried again.
import type { ApiError } from '../../../api/client.ts';
import { Notice } from '../../../ui/notice.tsx';
import { RequestId } from '../../../ui/states.tsx';

export function FailureNotice({ error }: { error: ApiError }) {
  const wait = error.retryAfterSeconds;
  return (
    <Notice tone="bad" role="alert">
      {error.message}
      {wait === undefined
        ? null
        : ` Try again in ${wait < 90 ? `${wait} s` : `${Math.ceil(wait / 60)} min`}.`}
      {error.status >= 500 ? <RequestId error={error} /> : null}
    </Notice>
  );
}
