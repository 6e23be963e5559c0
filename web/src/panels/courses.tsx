/** A small plot: the mean of a metric along the steps, of a cluster and, in grey, of the others. */
import type { Courses } from "../api/types";
import { formatCount, printable } from "../base/format";

const [WIDTH, HEIGHT] = [240, 56];

export function CoursesPlot(props: { courses: Courses }) {
  const { title, lines, steps, largest } = props.courses;
  const known = lines.flatMap(({ points }) => points.filter((point) => point !== null));
  if (known.length === 0 || largest === undefined) return null;
  const [least, most] = [Math.min(0, ...known), Math.max(...known)];
  const longest = Math.max(...lines.map(({ points }) => points.length), 2);
  const place = (point: number, at: number) => {
    const y = HEIGHT - ((point - least) / (most - least || 1)) * (HEIGHT - 2) - 1;
    return `${((at / (longest - 1)) * WIDTH).toFixed(1)} ${y.toFixed(1)}`;
  };
  /** Steps without a value are gone over: the cluster stands where it was. */
  const path = (points: (number | null)[]) => {
    const there = points.flatMap((point, at) => (point === null ? [] : [place(point, at)]));
    return `M${there.join("L")}`;
  };
  const [own, ...others] = lines;
  return (
    <figure class="courses" data-testid="courses">
      <figcaption>
        Mean {printable(title).toLowerCase()} per step, other clusters grey <span class="n">{printable(largest)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {others.map(({ node, points }) => (
          <path key={node} class="other" d={path(points)} />
        ))}
        {own && <path class="own" d={path(own.points)} />}
      </svg>
      <div class="ends">
        <span>{formatCount(steps.first)}</span>
        <span>{formatCount(steps.last)}</span>
      </div>
    </figure>
  );
}
