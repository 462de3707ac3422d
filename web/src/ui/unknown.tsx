// A value nobody could collect: a dash to the eye, a word to the ear, the reason in the title where there is one.
export function Unknown({ because = 'Not known' }: { because?: string }) {
  return (
    <span className="unknown" title={because}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{because}</span>
    </span>
  );
}
