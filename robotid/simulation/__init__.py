"""Logs from known truth: a robot with friction and elastic joints, driven along a trajectory.

scenario     from what a user asks for to the system that is simulated
trajectory   what the robot should do         controller   the torques that make it do so
friction     what resists it                  elastic      springs between motors and links
plant        its equation of motion           closed_loop  the integration of it under control
engine       what computes accelerations: MuJoCo or our own articulated-body algorithm
driven_pendulum, swing_up   a pendulum on a driven joint, and the controller that swings it up
state_samples, sample_files states drawn one by one, and the dataset of them
sensors      what a log says of all this      log_files    the files
"""
