//! From flags to a method: which flags a method takes, and what they set.

use arss::{Arss, Exemplars, Gamma, KMeans, KMedoids, Kernel, Method, Penalty, Rank, RootSteps, Rrss, Ted};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::args::{KernelName, MethodArgs};
use crate::failure::Failure;

/// Reads the name of a method.
pub fn by_name() -> impl TypedValueParser<Value = Method> {
    let names = Method::all().map(|method| PossibleValue::new(method.name()).help(method.summary()));
    PossibleValuesParser::new(names).map(|name| Method::from_name(&name).unwrap_or_default())
}

/// Reads what rows are ranked by.
pub fn rank() -> impl TypedValueParser<Value = Rank> {
    PossibleValuesParser::new(Rank::ALL.map(Rank::name)).map(|name| Rank::from_name(&name).unwrap_or_default())
}

/// The one table of which flags a method takes.
fn flags_of(method: &Method) -> &'static [&'static str] {
    match method {
        Method::Exemplars(_) => &[
            "--seed",
            "--landmarks",
            "--ridge",
            "--no-gate",
            "--nested",
            "--refine",
            "--include",
            "--forbid",
            "--weights",
            "--group",
            "--quotas",
        ],
        Method::Arss(_) => &[
            "--preset",
            "--gamma",
            "--gamma-ratio",
            "--p",
            "--mu",
            "--rho",
            "--mu-max",
            "--iterations",
            "--tolerance",
            "--gst-steps",
            "--eps",
            "--diverse",
            "--rank",
            "--kernel",
            "--landmarks",
            "--seed",
        ],
        Method::Rrss(_) => &[
            "--gamma",
            "--gamma-ratio",
            "--iterations",
            "--tolerance",
            "--eps",
            "--diverse",
            "--rank",
            "--kernel",
            "--landmarks",
            "--seed",
        ],
        Method::Ted(_) => &["--alpha", "--weights", "--kernel", "--landmarks", "--seed"],
        Method::KMeans(_) => &["--iterations", "--tolerance", "--seed"],
        Method::KMedoids(_) => &["--iterations", "--seed"],
        other if other.clone().seed_mut().is_some() => &["--seed"],
        _ => &[],
    }
}

/// The method that the flags ask for, its settings checked.
pub fn build(args: &MethodArgs) -> Result<Method, Failure> {
    check_flags(args)?;
    let method = match &args.method {
        Method::Exemplars(base) => Method::Exemplars(exemplars(args, base)),
        Method::Arss(_) => Method::Arss(arss(args)),
        Method::Rrss(base) => Method::Rrss(rrss(args, base)),
        Method::Ted(base) => Method::Ted(ted(args, base)),
        Method::KMeans(base) => Method::KMeans(kmeans(args, base)),
        Method::KMedoids(base) => Method::KMedoids(kmedoids(args, base)),
        other => other.clone().with_seed(args.seed.unwrap_or_default()),
    };
    // Checked again by the solver; here a wrong value is found before a large file is read.
    method.validate()?;
    Ok(method)
}

/// Fails on a flag that the method does not take.
fn check_flags(args: &MethodArgs) -> Result<(), Failure> {
    let taken = flags_of(&args.method);
    let given = given(args);
    let Some(flag) = given.iter().find(|flag| !taken.contains(flag)) else {
        return check_kernel(&given, taken);
    };
    let name = args.method.name();
    if name == "ted" && *flag == "--diverse" {
        return Err(Failure::Input(
            "--diverse is not needed with method ted: its picks do not repeat each other".into(),
        ));
    }
    let takes = if taken.is_empty() { "no settings".to_owned() } else { taken.join(", ") };
    Err(Failure::Input(format!("{flag} is not used by method {name}; it takes {takes}")))
}

/// Fails on a setting of the kernel where there is none.
fn check_kernel(given: &[&str], taken: &[&str]) -> Result<(), Failure> {
    let of_kernel = |flag: &&&str| ["--landmarks", "--seed"].contains(*flag);
    match given.iter().find(of_kernel) {
        Some(flag) if taken.contains(&"--kernel") && !given.contains(&"--kernel") => {
            Err(Failure::Input(format!("{flag} is a setting of the kernel: add --kernel rbf")))
        }
        _ => Ok(()),
    }
}

/// The flags that were given.
fn given(args: &MethodArgs) -> Vec<&'static str> {
    let all = [
        ("--preset", args.preset.is_some()),
        ("--gamma", args.gamma.is_some()),
        ("--gamma-ratio", args.gamma_ratio.is_some()),
        ("--p", args.p.is_some()),
        ("--mu", args.mu.is_some()),
        ("--rho", args.rho.is_some()),
        ("--mu-max", args.mu_max.is_some()),
        ("--iterations", args.iterations.is_some()),
        ("--tolerance", args.tolerance.is_some()),
        ("--gst-steps", args.gst_steps.is_some()),
        ("--eps", args.eps.is_some()),
        ("--alpha", args.alpha.is_some()),
        ("--kernel", args.kernel.is_some()),
        ("--landmarks", args.landmarks.is_some()),
        ("--ridge", args.ridge.is_some()),
        ("--no-gate", args.no_gate),
        ("--nested", args.nested),
        ("--refine", args.refine.is_some()),
        ("--diverse", args.diverse),
        ("--rank", args.rank.is_some()),
        ("--seed", args.seed.is_some()),
        ("--include", args.constraints.include.is_some()),
        ("--forbid", args.constraints.forbid.is_some()),
        ("--weights", args.constraints.weights.is_some()),
        ("--group", args.constraints.group.is_some()),
        ("--quotas", args.constraints.quotas.is_some()),
    ];
    all.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
}

fn exemplars(args: &MethodArgs, base: &Exemplars) -> Exemplars {
    Exemplars {
        seed: args.seed.unwrap_or(base.seed),
        landmarks: args.landmarks.unwrap_or(base.landmarks),
        ridge: args.ridge.unwrap_or(base.ridge),
        gate: !args.no_gate,
        nested: args.nested,
        refine: args.refine.unwrap_or(base.refine),
        ..base.clone()
    }
}

fn kernel(args: &MethodArgs) -> Option<Kernel> {
    let base = Kernel::default();
    args.kernel.map(|KernelName::Rbf| Kernel {
        landmarks: args.landmarks.unwrap_or(base.landmarks),
        seed: args.seed.unwrap_or(base.seed),
        ..base
    })
}

fn arss(args: &MethodArgs) -> Arss {
    let base = if args.preset.is_some() { Arss::paper() } else { Arss::default() };
    let (penalty, tolerance) = match growing(args, base.penalty) {
        Some(penalty) => (penalty, 0.0),
        None => (base.penalty, base.tolerance),
    };
    let root = match args.gst_steps {
        None => base.root,
        Some(0) => RootSteps::Exact,
        Some(steps) => RootSteps::Fixed(steps),
    };
    Arss {
        p: args.p.unwrap_or(base.p),
        gamma: gamma(args, base.gamma),
        penalty,
        max_iterations: args.iterations.unwrap_or(base.max_iterations),
        tolerance: args.tolerance.unwrap_or(tolerance),
        eps: args.eps.unwrap_or(base.eps),
        root,
        kernel: kernel(args),
        diverse: args.diverse,
        rank: args.rank.unwrap_or(base.rank),
        ..base
    }
}

/// A growing penalty if any of its flags is given; the authors' values for the others.
fn growing(args: &MethodArgs, base: Penalty) -> Option<Penalty> {
    if args.mu.is_none() && args.rho.is_none() && args.mu_max.is_none() {
        return None;
    }
    let start = if base == Penalty::Adaptive { Arss::paper().penalty } else { base };
    let Penalty::Growing { mu, rho, max } = start else { return Some(start) };
    Some(Penalty::Growing { mu: args.mu.unwrap_or(mu), rho: args.rho.unwrap_or(rho), max: args.mu_max.unwrap_or(max) })
}

fn gamma(args: &MethodArgs, base: Gamma) -> Gamma {
    args.gamma.map(Gamma::Absolute).or(args.gamma_ratio.map(Gamma::Ratio)).unwrap_or(base)
}

fn rrss(args: &MethodArgs, base: &Rrss) -> Rrss {
    Rrss {
        gamma: gamma(args, base.gamma),
        max_iterations: args.iterations.unwrap_or(base.max_iterations),
        tolerance: args.tolerance.unwrap_or(base.tolerance),
        eps: args.eps.unwrap_or(base.eps),
        kernel: kernel(args),
        diverse: args.diverse,
        rank: args.rank.unwrap_or(base.rank),
    }
}

fn ted(args: &MethodArgs, base: &Ted) -> Ted {
    Ted { alpha: args.alpha.unwrap_or(base.alpha), kernel: kernel(args), ..base.clone() }
}

fn kmeans(args: &MethodArgs, base: &KMeans) -> KMeans {
    KMeans {
        seed: args.seed.unwrap_or(base.seed),
        max_iterations: args.iterations.unwrap_or(base.max_iterations),
        tolerance: args.tolerance.unwrap_or(base.tolerance),
    }
}

fn kmedoids(args: &MethodArgs, base: &KMedoids) -> KMedoids {
    KMedoids {
        seed: args.seed.unwrap_or(base.seed),
        max_iterations: args.iterations.unwrap_or(base.max_iterations),
        ..*base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ConstraintArgs;

    fn settings(args: MethodArgs) -> Arss {
        match build(&MethodArgs { method: Method::Arss(Arss::default()), ..args }) {
            Ok(Method::Arss(settings)) => settings,
            other => panic!("not arss: {other:?}"),
        }
    }

    #[test]
    fn no_flag_gives_the_default_and_the_preset_the_papers() {
        assert!(matches!(build(&MethodArgs::default()), Ok(Method::Exemplars(e)) if e == Exemplars::default()));
        assert_eq!(settings(MethodArgs::default()), Arss::default());
        let preset = Some(crate::args::Preset::Paper);
        assert_eq!(settings(MethodArgs { preset, ..MethodArgs::default() }), Arss::paper());
        let changed = settings(MethodArgs { preset, p: Some(0.25), rho: Some(1.5), ..MethodArgs::default() });
        let penalty = Penalty::Growing { mu: 1e-3, rho: 1.5, max: 1e4 };
        assert_eq!(changed, Arss { p: 0.25, penalty, ..Arss::paper() });
    }

    #[test]
    fn a_growing_penalty_has_no_stopping_test_unless_asked() {
        let grown = settings(MethodArgs { mu: Some(0.5), ..MethodArgs::default() });
        assert_eq!(grown.penalty, Penalty::Growing { mu: 0.5, rho: 1.1, max: 1e4 });
        assert_eq!(grown.tolerance, 0.0);
        let asked = settings(MethodArgs { mu_max: Some(9.0), tolerance: Some(0.01), ..MethodArgs::default() });
        assert_eq!((asked.tolerance, asked.penalty), (0.01, Penalty::Growing { mu: 1e-3, rho: 1.1, max: 9.0 }));
    }

    #[test]
    fn each_flag_sets_its_value() {
        let args = MethodArgs {
            gamma: Some(2.0),
            p: Some(0.75),
            iterations: Some(7),
            tolerance: Some(0.125),
            gst_steps: Some(3),
            eps: Some(1e-9),
            rank: Some(Rank::Norm),
            ..MethodArgs::default()
        };
        let found = settings(args);
        assert_eq!(found.rank, Rank::Norm);
        assert_eq!((found.gamma, found.p, found.max_iterations), (Gamma::Absolute(2.0), 0.75, 7));
        assert_eq!((found.tolerance, found.root, found.eps), (0.125, RootSteps::Fixed(3), 1e-9));
        let exact = MethodArgs { gamma_ratio: Some(0.3), gst_steps: Some(0), ..MethodArgs::default() };
        assert_eq!((settings(exact).gamma, RootSteps::Exact), (Gamma::Ratio(0.3), RootSteps::Exact));
    }

    #[test]
    fn every_flag_in_the_table_is_one_that_can_be_given() {
        let all = MethodArgs {
            preset: Some(crate::args::Preset::Paper),
            gamma: Some(1.0),
            gamma_ratio: Some(1.0),
            p: Some(1.0),
            mu: Some(1.0),
            rho: Some(1.0),
            mu_max: Some(1.0),
            iterations: Some(1),
            tolerance: Some(1.0),
            gst_steps: Some(1),
            eps: Some(1.0),
            alpha: Some(1.0),
            kernel: Some(KernelName::Rbf),
            landmarks: Some(1),
            ridge: Some(1.0),
            no_gate: true,
            nested: true,
            refine: Some(1),
            diverse: true,
            rank: Some(Rank::Norm),
            seed: Some(1),
            constraints: ConstraintArgs {
                include: Some(String::new()),
                forbid: Some(String::new()),
                weights: Some(String::new()),
                group: Some(String::new()),
                quotas: Some(String::new()),
            },
            ..MethodArgs::default()
        };
        let names = given(&all);
        for method in Method::all() {
            assert!(flags_of(&method).iter().all(|flag| names.contains(flag)), "{method:?}");
        }
        assert!(names.iter().all(|name| Method::all().iter().any(|method| flags_of(method).contains(name))));
    }
}
