//! Whether the channels of one raster are those of another.

use grid::Field;

/// Share of the marked samples of one raster that have a marked sample of another within so many samples' distance (measured
/// straight, from middle to middle). `None` where nothing is marked in the first.
///
/// # Panics
/// If the rasters have not the same shape.
pub fn share_near(channels: &Field<bool>, others: &Field<bool>, within: f64) -> Option<f64> {
    assert_eq!(channels.shape(), others.shape(), "two rasters of one window");
    let reach = within as isize;
    let disc: Vec<(isize, isize)> = (-reach..=reach)
        .flat_map(|y| (-reach..=reach).map(move |x| (x, y)))
        .filter(|&(x, y)| ((x * x + y * y) as f64) <= within * within)
        .collect();
    let shape = channels.shape();
    let (rows, columns) = (shape.rows as isize, shape.cols as isize);
    let is_near = |at: usize| {
        let (row, column) = (at as isize / columns, at as isize % columns);
        disc.iter().any(|&(x, y)| {
            let (r, c) = (row + y, column + x);
            (0..rows).contains(&r)
                && (0..columns).contains(&c)
                && others.as_slice()[(r * columns + c) as usize]
        })
    };
    let marked = || (0..channels.as_slice().len()).filter(|&i| channels.as_slice()[i]);
    let all = marked().count();
    (all > 0).then(|| marked().filter(|&i| is_near(i)).count() as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Flat, Grid};

    #[test]
    fn two_samples_are_near_and_three_are_not() {
        let shape = Flat::new(20, 10, 1.0).expect("a small one").shape();
        let column = |x: u32| Field::from_fn(shape, |c| shape.split(c).2 == x);
        assert_eq!(share_near(&column(5), &column(7), 2.0), Some(1.0));
        assert_eq!(share_near(&column(5), &column(8), 2.0), Some(0.0));
        let row = Field::from_fn(shape, |c| shape.split(c).1 == 4);
        assert_eq!(share_near(&row, &column(8), 2.0), Some(5.0 / 20.0));
        // of a single sample the disc, not the square: rows 2 to 6 on its column, 3 to 5 beside it
        let one = Field::from_fn(shape, |c| shape.split(c).1 == 4 && shape.split(c).2 == 8);
        assert_eq!(share_near(&column(9), &one, 2.0), Some(0.3));
        assert_eq!(share_near(&column(30), &one, 2.0), None);
    }
}
