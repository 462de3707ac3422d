// The mark: a matriarch's head seen from the front, ears wide, drawn in one colour.
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <path
        d="M11.2 8.1C8.3 5.6 3.6 6.3 2.5 10.2c-1 3.6 1.1 8.6 4.5 10 1.6.7 3.1.2 3.9-1.1"
        fill="var(--accent-bar)"
        fillOpacity="0.35"
      />
      <path
        d="M20.8 8.1c2.9-2.5 7.6-1.8 8.7 2.1 1 3.6-1.1 8.6-4.5 10-1.6.7-3.1.2-3.9-1.1"
        fill="var(--accent-bar)"
        fillOpacity="0.35"
      />
      <path
        d="M11.2 8.1C8.3 5.6 3.6 6.3 2.5 10.2c-1 3.6 1.1 8.6 4.5 10 1.6.7 3.1.2 3.9-1.1M20.8 8.1c2.9-2.5 7.6-1.8 8.7 2.1 1 3.6-1.1 8.6-4.5 10-1.6.7-3.1.2-3.9-1.1M16 5c-3.9 0-6 2.7-6 6.4 0 3.3.9 5.6 1.9 7.9.8 1.9 1.2 3.6 1.2 5.4 0 1.7 1.1 2.9 2.8 2.9 1.5 0 2.4-.9 2.6-2.2M16 5c3.9 0 6 2.7 6 6.4 0 3.3-.9 5.6-1.9 7.9-.6 1.4-1 2.6-1.1 3.9"
        stroke="var(--accent)"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="13.1" cy="13" r="1.15" fill="var(--accent)" />
      <circle cx="18.9" cy="13" r="1.15" fill="var(--accent)" />
    </svg>
  );
}
