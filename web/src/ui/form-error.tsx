// What the server said against a form; what was typed stays in it.
import type { ApiError } from '../api/client.ts';
import { Notice } from './notice.tsx';
import { RequestId } from './states.tsx';

export function FormError({ error }: { error: ApiError | null | undefined }) {
  if (!error) return null;
  return (
    <Notice tone="bad" role="alert">
      {error.message}
      {error.status >= 500 ? <RequestId error={error} /> : null}
    </Notice>
  );
}
